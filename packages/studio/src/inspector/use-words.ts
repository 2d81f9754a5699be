import { useLanguage } from "../shell/use-words.ts";
import { type InspectorWords, inspectorLanguages } from "./words.ts";

/** The inspector's texts in the language in force. */
export const useInspectorWords = (): InspectorWords => inspectorLanguages[useLanguage()];
