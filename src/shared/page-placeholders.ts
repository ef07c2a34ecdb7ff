import type { FileKind } from './rules/files/file-kind.ts'
import { type ReportChoice, reportChoiceNames } from './rules/links/report.ts'
import { placeholderMark, sectionEnd, sectionStart } from './template-marks.ts'

/**
 * The gaps in the built download page. For each link, the server fills them with plain text. Each
 * gap is between tags or in a double-quoted attribute, so one way of escaping is enough.
 */
export const pagePlaceholders = [
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
  /**
   * The file's `createdAt` and `maxLifetimeAt`, and the server's present time, in milliseconds
   * since 1970.
   */
  'created',
  'max',
  'now',
  'livedWidth',
  'validX',
  'validWidth',
  'renewableX',
  'renewableWidth',
  /**
   * The SHA-256 of the file, in hexadecimal, if it is known. If not, the page leaves out the
   * section around this placeholder. That section begins with `ifStart('sha256')`.
   */
  'sha256',
  /**
   * The name of the site in the page's title and in link previews: the name of the owner's brand,
   * otherwise Mayfly.
   */
  'site',
  /**
   * The first words of the description in search results and link previews: the message of the
   * owner's brand and a dot. Empty if the brand has no message, or the page shows no brand.
   */
  'lead',
  /**
   * This placeholder and all that follow are filled only on download pages whose owner has a brand:
   * a name, a logo or a colour of their own.
   */
  'brandName',
  'brandMessage',
  /**
   * The style sheet with the brand's accent colour. Only the function `accentStyle` in
   * `page-template.ts` may make this text: the placeholder is inside a <style>, where escaping does
   * not make other texts safe.
   */
  'accentStyle',
  /**
   * The path of the logo, its width and height in pixels, and its text for people who do not see
   * it.
   */
  'logoPath',
  'logoWidth',
  'logoHeight',
  'logoAlt',
] as const

export type PagePlaceholder = (typeof pagePlaceholders)[number]

/** The placeholders of the page where a visitor reports a file. Each becomes a text. */
export const reportPlaceholders = ['code', 'name', 'words', 'email', 'fault'] as const

export type ReportPlaceholder = (typeof reportPlaceholders)[number]

/** Returns the mark of a placeholder in the template. */
export function placeholder(name: PagePlaceholder | ReportPlaceholder): string {
  return placeholderMark(name)
}

/**
 * The conditions for sections of the template, besides the kind of the file. `longName`: the name
 * is so long that it is written smaller. `sha256`: the SHA-256 is known. `branded`: the page shows
 * the owner's brand. `plain`: the page shows no brand. `brandName`, `brandMessage`, `accent` and
 * `logo`: the brand has this part.
 */
export const pageConditions = [
  'longName',
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
 * The conditions for sections of the page where a visitor reports a file. `form`: the page shows
 * the form. `fault`: the page says why the server refused the form. `sent`: the page thanks the
 * visitor. Each of the other names, such as `malware`, is a choice in the form. Its condition is
 * true if the visitor has made this choice.
 */
export const reportConditions = [...reportChoiceNames, 'fault', 'form', 'sent'] as const

export type ReportCondition = ReportChoice | (typeof reportConditions)[number]

/**
 * Returns the mark that begins a section of the template. Only pages for which the condition is
 * true show the section. A condition may have several sections.
 */
export function ifStart(condition: PageCondition | ReportCondition): string {
  return sectionStart(condition)
}

/** Returns the mark that ends a section which `ifStart` began for the same condition. */
export function ifEnd(condition: PageCondition | ReportCondition): string {
  return sectionEnd(condition)
}
