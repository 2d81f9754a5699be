import { useId } from "react";
import { Dialog } from "./dialog.tsx";
import { type Preferences, prefer, usePreferences } from "./preferences.ts";
import { useWords } from "./use-words.ts";

/** Theme, language, keys. */
export function SettingsDialog({ onClose }: { readonly onClose: () => void }) {
  const words = useWords();
  const { theme, language, keys } = usePreferences();
  return (
    <Dialog title={words.settings} onClose={onClose}>
      <Options
        label={words.theme}
        value={theme}
        options={{ system: words.themeSystem, light: words.themeLight, dark: words.themeDark }}
        onChoose={value => prefer("theme", value)}
      />
      <Options<Preferences["language"]>
        label={words.language}
        value={language}
        options={{ system: words.languageSystem, en: "English", zh: "中文" }}
        onChoose={value => prefer("language", value)}
      />
      <label className="check">
        <input
          type="checkbox"
          checked={keys === "on"}
          onChange={event => prefer("keys", event.target.checked ? "on" : "off")}
        />
        {words.keysOn}
      </label>
    </Dialog>
  );
}

interface OptionsProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: { readonly [Name in Value]: string };
  readonly onChoose: (value: Value) => void;
}

function Options<Value extends string>({ label, value, options, onChoose }: OptionsProps<Value>) {
  const name = useId();
  const values = Object.keys(options) as Value[]; // the keys of `options`
  return (
    <fieldset>
      <legend>{label}</legend>
      <div className="segments">
        {values.map(option => (
          <label key={option}>
            <input type="radio" name={name} checked={option === value} onChange={() => onChoose(option)} />
            <span>{options[option]}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
