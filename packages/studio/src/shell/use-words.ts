import { createContext, useContext } from "react";
import { browserLanguage, type Language, languages, type Words } from "./words.ts";

export const LanguageContext = createContext<Language>("en");

/** The texts of the language in force. */
export const useWords = (): Words => languages[useContext(LanguageContext)];
export const useLanguage = (): Language => useContext(LanguageContext);

export const chosenLanguage = (choice: "system" | Language): Language =>
  choice === "system" ? browserLanguage(navigator.languages) : choice;
