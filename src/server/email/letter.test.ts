import { describe, expect, it } from 'vitest'
import { elementsOf, readPage, textOf } from '../../../tests/support/html.ts'
import { writeLetter } from './letter.ts'

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
const support = 'support@example.org'

describe('writeLetter', () => {
  const letter = writeLetter(content, { signature: `Mayfly\n${support}`, supportEmail: support })

  it('says the same in text', () => {
    expect(letter.text).toBe(`At length

Listen. Hello <script>alert(1)</script>

Go: ${href}

It works once.

By the way.

-- 
Mayfly
support@example.org
`)
  })

  it('says the same in HTML, with whatever it is given as text', () => {
    const page = readPage(letter.html)
    expect(textOf(page.one('title'))).toBe(content.subject)
    expect(textOf(page.one('h1'))).toBe('At length')
    expect(page.all('script')).toEqual([])
    expect(page.all('img')).toEqual([])
    const body = textOf(page.one('body'))
    for (const words of ['Listen. Hello <script>alert(1)</script>', 'It works once.', href]) {
      expect(body).toContain(words)
    }
  })

  it('leads to one place by its button and by the address below it, and to whom one writes', () => {
    const links = readPage(letter.html).all('a')
    const targets = links.map(({ attrs }) => attrs.find(({ name }) => name === 'href')?.value)
    expect(targets).toEqual([href, href, `mailto:${support}`])
  })

  it('has an address to write to, whatever the signature says', () => {
    const bare = writeLetter(content, { signature: 'Yours', supportEmail: support })
    expect(bare.text.endsWith(`-- \nYours\n${support}\n`)).toBe(true)
    const links = elementsOf(readPage(bare.html).one('body'), 'a').map(textOf)
    expect(links.at(-1)).toBe(support)
  })
})
