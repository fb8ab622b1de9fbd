// The page around every area.

import { useEffect, useRef } from "preact/hooks";
import { onReconnect } from "../api/connection";
import { token } from "../api/token";
import { ChatPage } from "../chat/chat-page";
import { EvalsPage } from "../evals/evals-page";
import { PlacesPage } from "../places/places-page";
import { RegistryPage } from "../registry/registry-page";
import { DropZone } from "../skills/drop-zone";
import { SkillsArea } from "../skills/skills-area";
import { loadModel } from "../state/model";
import { route, type Route } from "../state/route";
import { loadSkills } from "../state/skill-index";
import { Announcer, ConnectionBanner, Toasts, TokenBanner } from "./messages";
import { AREAS, Navigation } from "./navigation";
import { Overlays } from "./overlay";
import { TopBar } from "./top-bar";

function Area({ at }: { at: Route }) {
  switch (at.area) {
    case "chat":
      return <ChatPage />;
    case "skills":
      return <SkillsArea />;
    case "places":
      return <PlacesPage />;
    case "registry":
      return <RegistryPage />;
    case "evals":
      return <EvalsPage />;
  }
}

export function App() {
  const main = useRef<HTMLElement>(null);
  const at = route.value;
  const used = token.value;
  useEffect(() => {
    void loadSkills();
    void loadModel();
    return onReconnect(() => {
      void loadModel();
      void loadSkills();
    });
  }, [used]);
  const first = useRef(true);
  useEffect(() => {
    const area = AREAS.find((it) => it.id === at.area)?.title ?? "";
    document.title = at.id ? `${at.id} · ${area} · Prowess` : `${area} · Prowess`;
    // A reader of the page hears the new view; a field that took the focus keeps it.
    if (first.current) first.current = false;
    else if (document.activeElement === document.body || document.activeElement === null) main.current?.focus({ preventScroll: true });
  }, [at.area, at.id]);
  return (
    <>
      <a class="skip-link" href="#main" onClick={(event) => {
        event.preventDefault();
        main.current?.focus();
      }}>
        Skip to the content
      </a>
      <div class="shell">
        <Navigation />
        <div class="shell-main">
          <TopBar />
          <ConnectionBanner />
          <TokenBanner />
          <main id="main" ref={main} tabIndex={-1} class={`area area-${at.area}`}>
            <Area at={at} />
          </main>
        </div>
      </div>
      <DropZone />
      <Overlays />
      <Toasts />
      <Announcer />
    </>
  );
}
