import { type Client, createClient } from "@translogue/server/client";
import { useEffect } from "react";
import { usePreferences } from "./shell/preferences.ts";
import { chosenLanguage, LanguageContext } from "./shell/use-words.ts";
import { Studio } from "./studio.tsx";

const client: Client = createClient();

/** The studio in the theme and the language of whoever looks at it. */
export function App() {
  const { theme, language } = usePreferences();
  const chosen = chosenLanguage(language);
  useEffect(() => {
    const { documentElement: page } = document;
    page.lang = chosen === "zh" ? "zh-CN" : chosen;
    if (theme === "system") delete page.dataset["theme"];
    else page.dataset["theme"] = theme;
  }, [theme, chosen]);
  return (
    <LanguageContext value={chosen}>
      <Studio client={client} />
    </LanguageContext>
  );
}
