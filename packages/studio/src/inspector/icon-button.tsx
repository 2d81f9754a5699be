import type { ReactNode } from "react";
import { Icon, type IconName } from "../shell/icon.tsx";

interface IconButtonProps {
  readonly icon: IconName;
  readonly label: string;
  readonly onClick: () => void;
  readonly children?: ReactNode;
}

/** A button that is a picture, with its name for those who do not see it. */
export const IconButton = ({ icon, label, onClick, children }: IconButtonProps) => (
  <button type="button" className="quiet" aria-label={label} title={label} onClick={onClick}>
    <Icon name={icon} />
    {children}
  </button>
);
