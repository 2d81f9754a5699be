import type { ReactNode } from "react";
import { Icon, type IconName } from "./icon.tsx";
import { useWords } from "./use-words.ts";

interface HeaderProps {
  readonly title: string;
  readonly areSessionsOpen: boolean;
  readonly isPanelOpen: boolean;
  readonly onSessions: () => void;
  readonly onPanel: () => void;
  readonly onNew: () => void;
  readonly onInspect: () => void;
  readonly onSettings: () => void;
  readonly onHelp: () => void;
}

/** What is always there. */
export function Header(props: HeaderProps) {
  const words = useWords();
  const { areSessionsOpen, isPanelOpen } = props;
  return (
    <header className="top">
      <Tool
        icon="list"
        label={areSessionsOpen ? words.hideSessions : words.showSessions}
        isPressed={areSessionsOpen}
        onClick={props.onSessions}
      />
      <h1>{props.title}</h1>
      <div className="tools">
        <Tool icon="plus" label={words.newChat} onClick={props.onNew} />
        <Tool
          icon="braces"
          label={words.formats}
          hint={isPanelOpen ? words.hideFormats : words.showFormats}
          isPressed={isPanelOpen}
          onClick={props.onPanel}
        >
          <span className="wide">{words.formats}</span>
        </Tool>
        <Tool icon="inspect" label={words.inspect} onClick={props.onInspect} />
        <Tool icon="settings" label={words.settings} onClick={props.onSettings} />
        <Tool icon="help" label={words.keys} onClick={props.onHelp} />
      </div>
    </header>
  );
}

interface ToolProps {
  readonly icon: IconName;
  readonly label: string;
  /** Where the label alone does not say what it does. */
  readonly hint?: string;
  readonly isPressed?: boolean;
  readonly onClick: () => void;
  readonly children?: ReactNode;
}

const Tool = ({ icon, label, hint = label, isPressed, onClick, children }: ToolProps) => (
  <button
    type="button"
    className="quiet"
    aria-label={label}
    title={hint}
    {...(isPressed !== undefined && { "aria-expanded": isPressed })}
    onClick={onClick}
  >
    <Icon name={icon} />
    {children}
  </button>
);
