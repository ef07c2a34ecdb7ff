import fc from 'fast-check'
import { parseFragment } from 'parse5'
import { describe, expect, it } from 'vitest'
import { anyText } from '../../../tests/support/any-text.ts'
import { findElements, parsePage, textOf } from '../../../tests/support/html.ts'
import { html, renderEmail } from './render-email.ts'

const href = 'https://files.example.org/reset-password?token=a&b="c"'
const content = {
  subject: 'Subject & <more>',
  preview: 'In short',
  heading: 'At length',
  blocks: [
    { kind: 'paragraph', text: 'Hello <script>alert(1)</script>', strong: 'Listen.' },
    { kind: 'button', label: 'Go', href, note: 'It works once.' },
    { kind: 'note', text: 'By the way.' },
  ],
} as const
const supportEmail = 'support@example.org'

describe('renderEmail', () => {
  const email = renderEmail(content, { signature: `Mayfly\n${supportEmail}`, supportEmail })

  it('renders all content as text', () => {
    expect(email.text).toBe(`At length

Listen. Hello <script>alert(1)</script>

Go: ${href}

It works once.

By the way.

-- 
Mayfly
support@example.org
`)
  })

  it('renders all content as HTML, with values escaped', () => {
    const page = parsePage(email.html)
    expect(textOf(page.findOne('title'))).toBe(content.subject)
    expect(textOf(page.findOne('h1'))).toBe('At length')
    expect(page.findAll('script')).toEqual([])
    expect(page.findAll('img')).toEqual([])
    // Otherwise, an Arabic name would swap places with a number after it.
    expect(page.findOne('b').attrs).toContainEqual({ name: 'dir', value: 'auto' })
    const body = textOf(page.findOne('body'))
    for (const text of ['Listen. Hello <script>alert(1)</script>', 'It works once.', href]) {
      expect(body).toContain(text)
    }
  })

  it('links the button and the address below it to the same URL, and names the support address', () => {
    const links = parsePage(email.html).findAll('a')
    const targets = links.map(({ attrs }) => attrs.find(({ name }) => name === 'href')?.value)
    expect(targets).toEqual([href, href, `mailto:${supportEmail}`])
  })

  it('always names the support address, whatever the signature says', () => {
    const emailWithoutSupport = renderEmail(content, { signature: 'Yours', supportEmail })
    expect(emailWithoutSupport.text.endsWith(`-- \nYours\n${supportEmail}\n`)).toBe(true)
    const links = findElements(parsePage(emailWithoutSupport.html).findOne('body'), 'a').map(textOf)
    expect(links.at(-1)).toBe(supportEmail)
  })
})

it('strips control characters and characters that reorder text', () => {
  const hostileText = 'in\u202evoice\u001b[31m\u0000 \u2066x\u2069\r\ny'
  const renderedEmail = renderEmail(
    {
      subject: hostileText,
      preview: hostileText,
      heading: hostileText,
      blocks: [
        { kind: 'paragraph', text: hostileText, strong: hostileText },
        { kind: 'note', text: hostileText },
      ],
    },
    { signature: 'Mayfly', supportEmail },
  )
  const printableText = 'invoice[31m x y'
  expect(renderedEmail.subject).toBe(printableText)
  expect(renderedEmail.text.split('\n\n').slice(0, 3)).toEqual([
    printableText,
    `${printableText} ${printableText}`,
    printableText,
  ])
  for (const part of [renderedEmail.text, renderedEmail.html]) {
    expect(part).not.toMatch(/(?!\n)[\p{Cc}\p{Bidi_Control}]/u)
  }
})

describe('html', () => {
  it('escapes any text between tags and in attributes', () => {
    fc.assert(
      fc.property(anyText(), (input) => {
        // An HTML parser drops or replaces these two characters.
        const text = input.replace(/[\0\r]/g, '')
        const fragment = parseFragment(html`<p title="${text}">${text}</p>`.text)
        expect(fragment.childNodes).toHaveLength(1)
        expect(fragment.childNodes[0]).toMatchObject({
          nodeName: 'p',
          attrs: [{ name: 'title', value: text }],
          childNodes: text === '' ? [] : [{ nodeName: '#text', value: text }],
        })
      }),
    )
  })

  it('does not escape its own results again, single or in arrays', () => {
    const listItems = ['a', '<b>'].map((text) => html`<li>${text}</li>`)
    expect(html`<ul>${listItems}</ul>${html`<hr>`}${7}`.text).toBe(
      '<ul><li>a</li><li>&lt;b&gt;</li></ul><hr>7',
    )
  })
})
