import { type AccentPair, accentPairs } from '../../shared/rules/accounts/accent.ts'
import { type Block, type EmailBrand, type EmailContent, toPrintableLine } from './email.ts'

/** A rendered email. Text and HTML have the same content. */
export interface RenderedEmail {
  subject: string
  text: string
  html: string
}

/** The end of every email: the administrator's signature (spec §3) and the support address. */
export interface EmailFooter {
  signature: string
  supportEmail: string
}

/**
 * Renders an email as text and HTML. The HTML needs no images or scripts, fits a 320 px screen and
 * supports dark mode.
 */
export function renderEmail(content: EmailContent, footer: EmailFooter): RenderedEmail {
  const printableContent = {
    ...content,
    subject: toPrintableLine(content.subject),
    preview: toPrintableLine(content.preview),
    heading: toPrintableLine(content.heading),
    blocks: content.blocks.map(printableBlock),
  }
  return {
    subject: printableContent.subject,
    text: renderText(printableContent, footer),
    html: pageHtml(printableContent, footer).text,
  }
}

/** Strips control characters: file names, reasons and messages come from users. */
function printableBlock(block: Block): Block {
  if (block.kind === 'button') return block
  if (block.kind === 'quote') return { ...block, lines: block.lines.map(toPrintableLine) }
  const text = toPrintableLine(block.text)
  return 'strong' in block
    ? { ...block, text, strong: toPrintableLine(block.strong ?? '') }
    : { ...block, text }
}

function renderText({ heading, blocks }: EmailContent, footer: EmailFooter): string {
  const parts = [heading, ...blocks.map(blockText), `-- \n${signatureLines(footer).join('\n')}`]
  return `${parts.join('\n\n')}\n`
}

function blockText(block: Block): string {
  switch (block.kind) {
    case 'paragraph':
      return block.strong === undefined ? block.text : `${block.strong} ${block.text}`
    case 'quote':
      return block.lines.map((line) => `> ${line}`.trimEnd()).join('\n')
    case 'note':
      return block.link ? `${block.text} ${block.link.label}: ${block.link.href}` : block.text
    case 'button':
      return `${block.label}: ${block.href}\n\n${block.note}`
  }
}

/** Returns the signature's lines, adding the support address if it is missing. */
function signatureLines({ signature, supportEmail }: EmailFooter): string[] {
  const lines = signature.split(/\r?\n/)
  return lines.some((line) => line.includes(supportEmail)) ? lines : [...lines, supportEmail]
}

/** Safe HTML. Only the `html` tag creates it, and that escapes every value. */
class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Value = string | number | Html | readonly Html[]

/**
 * A template tag that escapes every value, except values created by `html`. The result is safe
 * between tags and inside double-quoted attributes.
 */
export function html(literals: TemplateStringsArray, ...values: readonly Value[]): Html {
  return new Html(
    literals.reduce(
      (text, literal, index) => `${text}${escapeValue(values[index - 1] ?? '')}${literal}`,
    ),
  )
}

function escapeValue(value: Value): string {
  if (value instanceof Html) return value.text
  if (typeof value === 'object') return value.map(({ text }) => text).join('')
  return String(value).replace(/[&<>"']/g, (character) => entities[character] ?? '')
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const font = "Inter,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
const monospaceFont = "ui-monospace,'SF Mono',Menlo,Consolas,'DejaVu Sans Mono',monospace"

// Mail clients drop most style sheets, so each element has its light colors inline. This sheet only
// overrides the colors in dark mode and the sizes on phones.
const styleSheet = html`
:root { color-scheme: light dark; supported-color-schemes: light dark }
@media (max-width: 480px) {
  .ground { padding: 0 !important }
  .sheet { border-radius: 0 !important; border-width: 0 !important }
  .inner { padding: 24px 20px !important }
  .press { display: block !important; text-align: center !important }
}
@media (prefers-color-scheme: dark) {
  .ground { background: #111312 !important }
  .sheet { background: #1a1d1b !important; border-color: #2c302d !important }
  .ink { color: #eceae4 !important }
  .muted { color: #a3a098 !important }
  .rule { border-color: #2c302d !important }
  .press { background: #5cd6c0 !important; color: #06231e !important }
  .link { color: #5cd6c0 !important }
  .valid { background: #5cd6c0 !important }
  .lived { background: #4a4a45 !important }
  .rest { background: #2c302d !important }
}
`

function pageHtml(content: EmailContent, footer: EmailFooter): Html {
  const { subject, preview, heading, blocks, brand } = content
  const colors = accentPairs(brand?.accent ?? defaultAccent)
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${subject}</title>
<style>${styleSheet}${brand?.accent ? darkButtonRule(colors.dark) : ''}</style>
</head>
<body class="ground" style="margin:0;padding:0;background:#f7f6f3">
<div style="display:none;max-height:0;overflow:hidden">${preview}</div>
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"><tr>
<td class="ground" align="center" style="padding:24px 0;background:#f7f6f3">
<table class="sheet" role="presentation" width="600" cellpadding="0" cellspacing="0" border="0" style="width:100%;max-width:600px;border:1px solid #e3dfd8;border-radius:14px;border-collapse:separate;background:#ffffff"><tr>
<td class="inner" style="padding:32px 36px;font-family:${font};font-size:15px;line-height:1.5">
${brand ? brandHtml(brand) : logo}
<h1 class="ink" style="margin:28px 0 0;font-size:21px;line-height:1.25;font-weight:650;letter-spacing:-0.02em;color:#1b1a18">${heading}</h1>
${blocks.map((block) => blockHtml(block, colors.light))}
<p class="muted rule" style="margin:32px 0 0;padding:20px 0 0;border-top:1px solid #e3dfd8;font-size:13px;color:#625e57">${signatureHtml(footer)}</p>
</td></tr></table>
</td></tr></table>
</body>
</html>
`
}

/** The light color of buttons without a brand. Their dark color is in the style sheet. */
const defaultAccent = '#0b6e63'

function darkButtonRule({ accent, onAccent }: AccentPair): Html {
  return html`@media (prefers-color-scheme: dark) {
  .press { background: ${accent} !important; color: ${onAccent} !important }
}
`
}

const gap = html`<td width="3" style="font-size:0">&nbsp;</td>`

function renderBar(name: string, width: number, color: string): Html {
  return html`<td class="${name}" width="${width}" height="3" style="height:3px;line-height:3px;font-size:0;background:${color}">&nbsp;</td>`
}

/** The product's name above its logo, which is a line in three colors. */
const logo = html`<div class="ink" style="font-size:19px;font-weight:700;letter-spacing:-0.03em;color:#1b1a18">Mayfly</div>
<table role="presentation" cellpadding="0" cellspacing="0" border="0" aria-hidden="true"><tr>${renderBar('lived', 16, '#c6c3be')}${gap}${renderBar('valid', 21, '#0b6e63')}${gap}${renderBar('rest', 19, '#e3dfd8')}</tr></table>`

/** The logo and name of a brand. Most mail programs show the logo only on request. */
function brandHtml({ name, logo: picture }: EmailBrand): Html {
  const image = picture
    ? html`<img src="${picture.url}" width="${picture.width}" height="${picture.height}" alt="${picture.alt}" style="display:block;border:0;margin:0 0 8px">`
    : ''
  return html`<div class="ink" style="font-size:19px;font-weight:700;letter-spacing:-0.03em;color:#1b1a18">${image}${toPrintableLine(name)}</div>`
}

function blockHtml(block: Block, button: AccentPair): Html {
  switch (block.kind) {
    case 'paragraph':
      return html`<p class="ink" style="margin:12px 0 0;color:#1b1a18">${
        block.strong === undefined
          ? ''
          : html`<b dir="auto" style="font-weight:650">${block.strong}</b> `
      }${block.text}</p>
`
    case 'quote':
      return html`<blockquote class="ink rule" style="margin:12px 0 0;padding:0 0 0 14px;border-left:3px solid #e3dfd8;color:#1b1a18">${block.lines.map((line) => html`${line}<br>`)}</blockquote>
`
    case 'note':
      return html`<p class="muted" style="margin:16px 0 0;font-size:13px;color:#625e57">${block.text}${
        block.link
          ? html` <a class="link" href="${block.link.href}" style="color:#0b6e63">${block.link.label}</a>.`
          : ''
      }</p>
`
    case 'button':
      return html`<p style="margin:24px 0 0"><a class="press" href="${block.href}" style="display:inline-block;padding:13px 24px;border-radius:10px;background:${button.accent};color:${button.onAccent};font-weight:600;text-decoration:none">${block.label}</a></p>
<p class="muted" style="margin:24px 0 0;font-size:13px;color:#625e57">${block.note} If the button does nothing, open this address:</p>
<p style="margin:4px 0 0;font-family:${monospaceFont};font-size:12px;line-height:1.6;word-break:break-all"><a class="link" href="${block.href}" style="color:#0b6e63">${block.href}</a></p>
`
  }
}

function signatureHtml(footer: EmailFooter): Html[] {
  return signatureLines(footer).map((line, index) => {
    const lineBreak = index === 0 ? '' : html`<br>`
    if (line !== footer.supportEmail) return html`${lineBreak}${line}`
    return html`${lineBreak}<a class="link" href="mailto:${line}" style="color:#0b6e63">${line}</a>`
  })
}
