import { HelpDialog, type ShownShortcuts } from "./help-dialog.tsx";
import { SettingsDialog } from "./settings-dialog.tsx";

export type DialogName = "help" | "settings";

interface OpenDialogProps {
  readonly name: DialogName | undefined;
  /** Of a room that has its own. */
  readonly shortcuts?: ShownShortcuts;
  readonly onClose: () => void;
}

/** The dialog that is open, if one is. */
export function OpenDialog({ name, shortcuts, onClose }: OpenDialogProps) {
  if (name === "help") return <HelpDialog onClose={onClose} {...(shortcuts && { shortcuts })} />;
  return name === "settings" ? <SettingsDialog onClose={onClose} /> : null;
}
