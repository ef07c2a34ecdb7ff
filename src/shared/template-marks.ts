/**
 * The marks in a page that the build renders and the server fills in. A slot is a gap for a text. A
 * section is shown only while its condition is true.
 */
export function slotMark(name: string): string {
  return `{{${name}}}`
}

/** Begins a section. A condition may have several sections. */
export function sectionStart(condition: string): string {
  return `{{#${condition}}}`
}

export function sectionEnd(condition: string): string {
  return `{{/${condition}}}`
}
