import { HelpDialog } from "./help-dialog.tsx";
import { SettingsDialog } from "./settings-dialog.tsx";

export type DialogName = "help" | "settings";

interface OpenDialogProps {
  readonly name: DialogName | undefined;
  readonly onClose: () => void;
}

/** The dialog that is open, if one is. */
export function OpenDialog({ name, onClose }: OpenDialogProps) {
  if (name === "help") return <HelpDialog onClose={onClose} />;
  return name === "settings" ? <SettingsDialog onClose={onClose} /> : null;
}
