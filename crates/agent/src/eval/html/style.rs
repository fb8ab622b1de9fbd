//! How the page looks: light or dark, on a desk or in a hand.

pub(super) const STYLE: &str = "\
:root{color-scheme:light dark;--ink:#17202a;--soft:#5b6773;--paper:#fbfbfa;--card:#fff;--line:#dfe3e8;--with:#0f766e;--without:#a3adb9;--bad:#b3261e;--warn:#fff4d6}
@media (prefers-color-scheme:dark){:root{--ink:#e8ebef;--soft:#9aa5b1;--paper:#12151a;--card:#1a1f26;--line:#2d343d;--with:#2dd4bf;--without:#64707e;--bad:#ff8a80;--warn:#3a3014}}
*{box-sizing:border-box}
body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:62rem;margin:0 auto;padding:1.5rem 1rem 4rem;overflow-wrap:anywhere}
h1{font-size:1.7rem;line-height:1.2;margin:0 0 .3rem}h2{font-size:1.2rem;margin:2.2rem 0 .6rem}h3{font-size:1rem;margin:1.2rem 0 .3rem}
.soft{color:var(--soft)}.bad{color:var(--bad)}
.warn{background:var(--warn);border-radius:.5rem;padding:.6rem .9rem;margin:.8rem 0}.warn p{margin:.2rem 0}
.cards,.charts{display:grid;gap:.8rem;grid-template-columns:repeat(auto-fit,minmax(min(10rem,100%),1fr));margin:1.2rem 0}
.charts{grid-template-columns:repeat(auto-fit,minmax(min(21rem,100%),1fr))}
.cards>div,.charts>figure{background:var(--card);border:1px solid var(--line);border-radius:.6rem;padding:.8rem 1rem;margin:0}
.cards b{display:block;font-size:1.9rem;line-height:1.2;font-weight:600;font-variant-numeric:tabular-nums}
figcaption{font-weight:600;margin-bottom:.4rem}
svg{display:block;width:100%;height:auto;max-width:28rem}svg text{fill:var(--ink);font:12px system-ui,sans-serif}svg .soft{fill:var(--soft)}
rect.with{fill:var(--with)}rect.without{fill:var(--without)}rect.bad{fill:var(--bad)}rect.back{fill:var(--line);opacity:.45}path.spread{stroke:var(--ink);stroke-width:1.2;fill:none}
.key{display:flex;flex-wrap:wrap;gap:.3rem 1.2rem;color:var(--soft)}.key i{display:inline-block;width:.8rem;height:.8rem;border-radius:.2rem;margin-right:.4rem}
.key i.with{background:var(--with)}.key i.without{background:var(--without)}.key i.one{width:1px;background:var(--ink);margin:0 .8rem 0 .4rem}
.wide{overflow-x:auto}table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.4rem .6rem .4rem 0;border-bottom:1px solid var(--line);vertical-align:top;font-weight:400}
thead th{color:var(--soft);overflow-wrap:normal}th:first-child,td:first-child{min-width:9rem}.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap;overflow-wrap:normal}td,li,pre,summary{unicode-bidi:isolate}
details{border-bottom:1px solid var(--line);padding:.35rem 0}summary{cursor:pointer}ul{list-style:none;padding-left:1rem;margin:.4rem 0}
pre{white-space:pre-wrap;background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:.6rem .8rem;font-size:.85rem;max-height:24rem;overflow:auto}
@media (max-width:30rem){table{font-size:.85rem}}";
