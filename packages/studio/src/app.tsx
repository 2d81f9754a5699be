import { type Client, createClient } from "@translogue/server/client";
import { lazy, Suspense, useEffect } from "react";
import { usePreferences } from "./shell/preferences.ts";
import { isInspector, usePath } from "./shell/route.ts";
import { chosenLanguage, LanguageContext } from "./shell/use-words.ts";
import { Studio } from "./studio.tsx";

const client: Client = createClient();

// Everything that it needs comes with it: loaded when it is first opened.
const InspectorRoom = lazy(async () => ({ default: (await import("./inspector/room.tsx")).InspectorRoom }));

/** The studio in the theme and the language of whoever looks at it. */
export function App() {
  const { theme, language } = usePreferences();
  const chosen = chosenLanguage(language);
  const path = usePath();
  useEffect(() => {
    const { documentElement: page } = document;
    page.lang = chosen === "zh" ? "zh-CN" : chosen;
    if (theme === "system") delete page.dataset["theme"];
    else page.dataset["theme"] = theme;
  }, [theme, chosen]);
  return (
    <LanguageContext value={chosen}>
      {isInspector(path) ? (
        <Suspense fallback={<main />}>
          <InspectorRoom client={client} />
        </Suspense>
      ) : (
        <Studio client={client} />
      )}
    </LanguageContext>
  );
}
