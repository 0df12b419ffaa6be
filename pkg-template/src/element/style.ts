// The style of the queue. Every value that a page may want to change is a custom property.
const CSS = `
/* The queue adapts to its own width, because it may be in a narrow column of a wide page. */
:host {
  display: block;
  container-type: inline-size;
  /* Without this, a container whose width depends on its content, such as a dialog, would give it no width. */
  contain-intrinsic-inline-size: min(36rem, 80vw);
  min-inline-size: 0;
  --_background: var(--approval-background, #fff);
  --_sunken: var(--approval-sunken, #f3f4f7);
  --_text: var(--approval-text, #1b2030);
  --_muted: var(--approval-muted, #565e70);
  --_line: var(--approval-line, #cfd4de);
  --_button: var(--approval-button, #fff);
  --_edge: var(--approval-edge, #7b8496);
  --_accent: var(--approval-accent, #2450c8);
  --_danger: var(--approval-danger, #a8200d);
  --_danger-wash: var(--approval-danger-wash, #fdeeea);
  --_allowed: var(--approval-allowed, #14653a);
  --_radius: var(--approval-radius, 10px);
  --_gap: var(--approval-gap, 12px);
  color: var(--_text);
  font: var(--approval-font, 0.9375rem/1.45 system-ui, sans-serif);
}
@supports (color: light-dark(#000, #fff)) {
  :host {
    --_background: var(--approval-background, light-dark(#fff, #171a21));
    --_sunken: var(--approval-sunken, light-dark(#f3f4f7, #21252e));
    --_text: var(--approval-text, light-dark(#1b2030, #e9ebf0));
    --_muted: var(--approval-muted, light-dark(#565e70, #a9b1c1));
    --_line: var(--approval-line, light-dark(#cfd4de, #3b4252));
    --_button: var(--approval-button, light-dark(#fff, #21252e));
    --_edge: var(--approval-edge, light-dark(#7b8496, #8a93a6));
    --_accent: var(--approval-accent, light-dark(#2450c8, #9db8ff));
    --_danger: var(--approval-danger, light-dark(#a8200d, #ff9c8c));
    --_danger-wash: var(--approval-danger-wash, light-dark(#fdeeea, #33191a));
    --_allowed: var(--approval-allowed, light-dark(#14653a, #7fdba6));
  }
}
:host([hidden]), [hidden] { display: none !important; }
* { box-sizing: border-box; }
h2, h3, p, dl, dd, ul { margin: 0; padding: 0; }
h2, h3 { font: inherit; font-weight: 650; }
ul { list-style: none; }
section { display: grid; gap: var(--_gap); overflow-wrap: anywhere; }
.unseen {
  position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden;
  clip-path: inset(50%); white-space: nowrap;
}

[part='summary'] { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 0.75em; }
[part='status'], [part='countdown'], [part='warning'], [part='why'], [part='named'], [part='life'],
[part='position'], [part='places'], [part='invisible'], [part='masked'], [part='empty'], [part='also'] { color: var(--_muted); }
[part='countdown'], [part='deadline'] { font-variant-numeric: tabular-nums; }
[part='warning'], [part='why'], [part='named'], [part='invisible'], [part='masked'], [part='life'] { font-size: 0.9em; }

[part='requests'] { display: grid; gap: var(--_gap); }
[part~='request'] {
  display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.6em; padding: 0.9em 1em 0.2em;
  background: var(--_background); border: 1px solid var(--_line); border-radius: var(--_radius);
}
/* Text that cannot break, such as a thousand combining marks, must not be drawn over anything else. */
[part~='request'], [part='grant'] { overflow-x: auto; }
[part='head'] { display: flex; gap: 1em; align-items: baseline; justify-content: space-between; }
[part='head'] h3 { min-width: 0; font-size: 1.0667em; }
[part='position'] { flex: none; font-size: 0.9em; }

/* Another shape, not only another colour, because people stop noticing what always looks the same. */
[part~='dangerous'] {
  border: 2px solid var(--_danger); border-inline-start-width: 10px; background: var(--_danger-wash);
}
[part='danger'] { color: var(--_danger); font-weight: 650; }
[part='danger']::before { content: '\\26A0\\FE0E' / ''; margin-inline-end: 0.45em; }

[part='arguments'] { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.5em; }
[part='place'] { display: flex; flex-wrap: wrap; gap: 0.15em 0.75em; align-items: baseline; }
[part='place'] [part='label'] { color: var(--_muted); }
[part='place'] bdi { font-weight: 650; font-family: var(--approval-mono, ui-monospace, monospace); font-size: 0.95em; }
[part='input'] {
  display: grid; grid-template-columns: fit-content(35%) minmax(0, 1fr); gap: 0.35em 1em;
  padding: 0.6em 0.75em; background: var(--_sunken); border-radius: calc(var(--_radius) * 0.6);
}
[part='input']:empty { display: none; }
[part~='dangerous'] [part='input'] { background: var(--_background); }
dt { color: var(--_muted); }
dd { min-width: 0; }
dt, [part~='value'] { font-family: var(--approval-mono, ui-monospace, monospace); font-size: 0.9em; }
[part~='value'] { display: block; white-space: pre-wrap; }
[part='hidden'] {
  padding: 0 0.15em; border-radius: 3px; color: var(--_danger); background: var(--_danger-wash);
  font-weight: 650; unicode-bidi: isolate; direction: ltr;
}
[part='unshowable'] { color: var(--_danger); font-weight: 650; }

button, textarea, summary { font: inherit; color: inherit; }
button {
  min-block-size: 2.4em; min-inline-size: 2.4em; padding: 0.3em 0.9em; text-align: start; cursor: pointer;
  overflow-wrap: anywhere;
  background: var(--_button); border: 1px solid var(--_edge); border-radius: calc(var(--_radius) * 0.6);
}
button:hover { border-color: currentColor; }
:is(button, textarea, summary, h2, h3):focus-visible { outline: 3px solid var(--_accent); outline-offset: 2px; }
[part='choices'], [part='answer'], [part='all'], [part='lasting'], [part='loop'], [part='deadline'] {
  display: flex; flex-wrap: wrap; align-items: center; gap: 0.6em var(--_gap);
}
/* The two overlap, so the place always has the height of the taller one. */
[part='act'] { display: grid; grid-template-columns: minmax(0, 1fr); align-items: start; }
[part='choices'], [part='answer'] { grid-area: 1 / 1; min-block-size: 2.4em; }
[data-off] { visibility: hidden; }
[part~='choice'] { font-weight: 600; }
[part~='lasting-choice'] { font-weight: inherit; }
[part~='more'], [part~='fold'], [part~='unmask'], [part~='undo'], [part~='undo-all'], [part~='revoke'] {
  padding-inline: 0; background: none; border-color: transparent; color: var(--_accent); text-decoration: underline;
  text-underline-offset: 0.2em;
}
[part~='fold'] { display: block; min-block-size: 2em; font-size: 0.9em; justify-self: start; }
[part~='unmask'] { min-block-size: 2em; }
[part='arguments']:focus { outline: none; }
[part~='more'] { margin-inline-start: auto; }
[part='more-choices'] {
  display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.5em; padding-block-start: 0.75em;
  border-block-start: 1px solid var(--_line);
}
[part='lasting'] { align-items: stretch; flex-direction: column; }
textarea {
  inline-size: 100%; padding: 0.45em 0.6em; resize: vertical; background: var(--_background);
  border: 1px solid var(--_edge); border-radius: calc(var(--_radius) * 0.6);
}
[part='outcome'] { font-weight: 650; }
[part='outcome']::before { margin-inline-end: 0.45em; }
[data-decision='allowed'] [part='outcome'] { color: var(--_allowed); }
[data-decision='allowed'] [part='outcome']::before { content: '\\2713' / ''; }
[data-decision='denied'] [part='outcome'] { color: var(--_danger); }
[data-decision='denied'] [part='outcome']::before { content: '\\2715' / ''; }
[data-expiring] [role='timer'] { color: var(--_danger); font-weight: 650; }
/* Its place is kept, so that a notice moves nothing. */
[part='notice'] { min-block-size: 1.45em; margin-block-start: -0.4em; color: var(--_danger); font-size: 0.9em; }

[part='loop'] { padding: 0.75em 1em; border: 1px dashed var(--_edge); border-radius: var(--_radius); }
[part='all'] { justify-content: flex-end; }
[part='turns'], [part='lead'] { display: grid; }
[part='turns'] > *, [part='lead'] > * { grid-area: 1 / 1; }
[part='turns'] { justify-items: end; }
[part='turns'] > div { display: flex; flex-wrap: wrap; justify-content: flex-end; gap: 0.6em var(--_gap); min-block-size: 2.4em; }
[part='grants'] { border-block-start: 1px solid var(--_line); }
summary { padding-block: 0.5em; color: var(--_muted); cursor: pointer; }
[part='grant'] {
  display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0.15em 1em; align-items: start; padding-block: 0.5em;
}
[part='grant'] > * { grid-column: 1; }
[part='grant'] [part='place'], [part='grant'] [part='places'] { display: none; }
[part='grant'] button { grid-area: 1 / 2 / span 3; }
[part='scope'] code { font: 0.95em var(--approval-mono, ui-monospace, monospace); font-weight: 650; }

@container (max-width: 26rem) {
  [part='summary'], [part='all'] { display: grid; }
  [part='all'] { justify-items: end; }
  [part='status'] { min-block-size: 1.45em; }
  [part='input'] { grid-template-columns: minmax(0, 1fr); gap: 0.1em; }
  [part~='more'] { margin-inline-start: 0; }
  [part='input'] dd { padding-inline-start: 0.6em; border-inline-start: 2px solid var(--_line); }
  [part='input'] dd + dt { margin-block-start: 0.45em; }
  [part='grant'] { grid-template-columns: minmax(0, 1fr); }
  [part='grant'] button { grid-area: auto; justify-self: start; padding-inline: 0; }
}
@media (forced-colors: active) {
  [part='hidden'] { border: 1px solid; }
  [part~='dangerous'] { border-style: double; border-width: 6px; }
}
`;

const sheets = new WeakMap<Document, CSSStyleSheet>();

/** One style sheet for all queues of a document. A constructed style sheet needs no exception in the CSP. */
export function styleSheet(owner: Document): CSSStyleSheet {
  let sheet = sheets.get(owner);
  if (sheet === undefined) {
    sheet = new (owner.defaultView ?? globalThis).CSSStyleSheet();
    sheet.replaceSync(CSS);
    sheets.set(owner, sheet);
  }
  return sheet;
}
