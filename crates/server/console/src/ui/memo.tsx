// A component that is drawn again only if one of its properties is another value.

import { Component, type ComponentType } from "preact";

export function memo<P extends object>(View: ComponentType<P>): ComponentType<P> {
  return class Memo extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P>): boolean {
      const old = this.props as Record<string, unknown>;
      const now = next as Record<string, unknown>;
      return Object.keys(now).length !== Object.keys(old).length || Object.keys(now).some((key) => now[key] !== old[key]);
    }
    override render() {
      return <View {...(this.props as P)} />;
    }
  };
}
