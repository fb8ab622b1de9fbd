// Small parts that every page uses.

import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { Icon, type IconName } from "./icon";

export type Tone = "plain" | "good" | "warn" | "bad" | "accent";

export function Badge({ tone = "plain", children, title }: { tone?: Tone; children: ComponentChildren; title?: string }) {
  return (
    <span class={`badge ${tone}`} title={title}>
      {children}
    </span>
  );
}

/** A page or a part without content says what to do. */
export function Empty({ icon, title, children, test, page }: { icon: IconName; title: string; children?: ComponentChildren; test?: string; page?: boolean }) {
  // A view that is nothing else has its title here.
  const Title = page ? "h1" : "h2";
  return (
    <div class="empty" data-test={test}>
      <span class="empty-icon">
        <Icon name={icon} size={22} />
      </span>
      <Title>{title}</Title>
      {children}
    </div>
  );
}

export function Notice({ tone = "plain", title, children, test }: { tone?: Tone; title?: string; children?: ComponentChildren; test?: string }) {
  const icon: IconName = tone === "bad" ? "refuse" : tone === "warn" ? "warning" : tone === "good" ? "check" : "info";
  return (
    <div class={`notice ${tone}`} data-test={test} role={tone === "bad" ? "alert" : undefined}>
      <Icon name={icon} size={18} />
      <div>
        {title && <strong>{title}</strong>}
        {children}
      </div>
    </div>
  );
}

/** A part that can be folded; its content is made only when it is open. */
export function Fold({ title, children, open = false, test }: { title: ComponentChildren; children: () => ComponentChildren; open?: boolean; test?: string }) {
  const [shown, setShown] = useState(open);
  const panel = useId();
  return (
    <div class={shown ? "fold open" : "fold"} data-test={test}>
      <button type="button" class="fold-title" aria-expanded={shown} aria-controls={panel} onClick={() => setShown(!shown)}>
        <Icon name="chevron" size={14} />
        {title}
      </button>
      <div id={panel} class="fold-body" hidden={!shown}>
        {shown && children()}
      </div>
    </div>
  );
}

export interface TabChoice<T extends string> {
  id: T;
  title: string;
  count?: number;
  tone?: Tone;
}

export function Tabs<T extends string>({ label, tabs, value, onChange }: { label: string; tabs: readonly TabChoice<T>[]; value: T; onChange: (id: T) => void }) {
  const move = (event: KeyboardEvent) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const at = tabs.findIndex((it) => it.id === value);
    const next = tabs[(at + step + tabs.length) % tabs.length];
    if (!next) return;
    onChange(next.id);
    const list = event.currentTarget as HTMLElement;
    requestAnimationFrame(() => list.querySelector<HTMLElement>(`[data-tab="${next.id}"]`)?.focus());
  };
  return (
    <div class="tabs" role="tablist" aria-label={label} onKeyDown={move}>
      {tabs.map((tab) => (
        <button
          key={tab.id}
          type="button"
          role="tab"
          data-tab={tab.id}
          data-test={`tab-${tab.id}`}
          aria-selected={tab.id === value}
          tabIndex={tab.id === value ? 0 : -1}
          onClick={() => onChange(tab.id)}
        >
          {tab.title}
          {tab.count !== undefined && tab.count > 0 && <span class={`tab-count ${tab.tone ?? "plain"}`}>{tab.count}</span>}
        </button>
      ))}
    </div>
  );
}

export function Switch({ on, label, onChange, disabled, test }: { on: boolean; label: string; onChange: (on: boolean) => void; disabled?: boolean; test?: string }) {
  return (
    <button type="button" role="switch" class="switch" aria-checked={on} disabled={disabled} data-test={test} onClick={() => onChange(!on)}>
      <span class="switch-track" aria-hidden="true">
        <span class="switch-thumb" />
      </span>
      {label}
    </button>
  );
}

/** Grey lines in the place of content that is on its way. */
export function Skeleton({ lines = 3 }: { lines?: number }) {
  return (
    <div class="skeleton" aria-hidden="true">
      {Array.from({ length: lines }, (_, at) => (
        <span key={at} />
      ))}
    </div>
  );
}
