// Buttons. One with an icon only has its title as its accessible name and as a hint.

import type { ButtonHTMLAttributes, ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon";

interface ButtonProps extends Omit<ButtonHTMLAttributes, "icon" | "type" | "disabled"> {
  look?: "plain" | "primary" | "danger" | "quiet";
  icon?: IconName;
  disabled?: boolean;
  type?: "button" | "submit";
  small?: boolean;
  "data-test"?: string;
  children?: ComponentChildren;
}

export function Button({ look = "plain", icon, small, children, type = "button", ...rest }: ButtonProps) {
  return (
    <button type={type} class={`button ${look}${small ? " small" : ""}`} {...rest}>
      {icon && <Icon name={icon} size={16} />}
      {children}
    </button>
  );
}

interface IconButtonProps extends Omit<ButtonProps, "title" | "children"> {
  icon: IconName;
  title: string;
}

export function IconButton({ icon, title, look = "quiet", small, type = "button", ...rest }: IconButtonProps) {
  return (
    <button type={type} class={`icon-button ${look}${small ? " small" : ""}`} aria-label={title} title={title} {...rest}>
      <Icon name={icon} size={small ? 16 : 18} />
    </button>
  );
}

interface LinkButtonProps {
  href: string;
  look?: "plain" | "primary" | "quiet";
  icon?: IconName;
  small?: boolean;
  "data-test"?: string;
  children: ComponentChildren;
}

export function LinkButton({ href, look = "plain", icon, small, children, "data-test": test }: LinkButtonProps) {
  return (
    <a class={`button ${look}${small ? " small" : ""}`} href={href} data-test={test}>
      {icon && <Icon name={icon} size={16} />}
      {children}
    </a>
  );
}
