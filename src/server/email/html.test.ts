import fc from 'fast-check'
import { parseFragment } from 'parse5'
import { describe, expect, it } from 'vitest'
import { html } from './html.ts'

describe('html', () => {
  it('takes any text for text, between tags and in attributes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (any) => {
        // An HTML parser drops or replaces these two characters, so the text would differ.
        const text = any.replace(/[\0\r]/g, '')
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

  it('puts its own kind in as it is, one or many', () => {
    const items = ['a', '<b>'].map((text) => html`<li>${text}</li>`)
    expect(html`<ul>${items}</ul>${html`<hr>`}${7}`.text).toBe(
      '<ul><li>a</li><li>&lt;b&gt;</li></ul><hr>7',
    )
  })
})
