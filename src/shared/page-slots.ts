import type { FileKind } from './rules/file-kind.ts'

/**
 * The places in the built download page that the server fills in for each link. Each holds plain
 * text, in text or in a double-quoted attribute, so one way of escaping serves all.
 */
export const pageSlots = [
  /** The public origin of this server, the same for all links. */
  'origin',
  'code',
  'name',
  'size',
  'kind',
  'label',
  'tone',
  'until',
  'expiresAt',
  /** createdAt, maxLifetimeAt and the server's own time now, in milliseconds since 1970. */
  'created',
  'max',
  'now',
  'livedWidth',
  'validX',
  'validWidth',
  'renewableX',
  'renewableWidth',
  /**
   * The SHA-256 of the file, in hexadecimal. It appears only inside the section of
   * `ifStart('sha256')`.
   */
  'sha256',
  /** Who the page is from: the name of the owner's brand, else Mayfly. */
  'site',
  /** What begins the description in a link preview: the message of the brand, or nothing. */
  'lead',
  /** The slots from here on appear only inside sections of a brand. */
  'brandName',
  'brandMessage',
  /**
   * The style sheet of the brand's accent. It is the one slot inside a <style>, where nothing is
   * escaped: only `accentStyle` makes its text.
   */
  'accentStyle',
  /** The path of the logo, its size in pixels, and its name for whoever does not see it. */
  'logoPath',
  'logoWidth',
  'logoHeight',
  'logoAlt',
] as const

export type PageSlot = (typeof pageSlots)[number]

/** Returns how a slot is written in the template. */
export function slot(name: PageSlot): string {
  return `{{${name}}}`
}

/**
 * What a section of the template can depend on, besides the kind of the file: whether the SHA-256 is
 * known; whether the page has the owner's brand (`branded`) or ours (`plain`); and which parts the
 * brand has.
 */
export const pageConditions = [
  'sha256',
  'plain',
  'branded',
  'brandName',
  'brandMessage',
  'accent',
  'logo',
] as const

export type PageCondition = FileKind | (typeof pageConditions)[number]

/**
 * Returns the mark that begins a section of the template. Only the links for which the condition
 * holds show the section. A condition may have several sections.
 */
export function ifStart(condition: PageCondition): string {
  return `{{#${condition}}}`
}
export function ifEnd(condition: PageCondition): string {
  return `{{/${condition}}}`
}
