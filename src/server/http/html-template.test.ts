import { describe, expect, it } from 'vitest'
import { StartFault } from '../start-fault.ts'
import { makeTemplate } from './html-template.ts'

const html =
  '<p>{{#form}}{{#fault}}<b>{{fault}}</b>{{/fault}}{{name}}{{/form}}{{#sent}}!{{/sent}}</p>'

function make(text = html) {
  return makeTemplate({
    file: 'page.html',
    html: text,
    slots: ['name', 'fault'],
    conditions: ['fault', 'form', 'sent'],
  })
}

describe('a built page', () => {
  it.each([
    [[], '<p></p>'],
    [['form'], '<p>a</p>'],
    [['fault', 'form'], '<p><b>c</b>a</p>'],
    [['sent'], '<p>!</p>'],
    // A section within another one needs both.
    [['fault'], '<p></p>'],
  ] as const)('shows the sections of %j', (holding, filled) => {
    expect(make()(holding).fill({ name: 'a', fault: 'c' })).toBe(filled)
  })

  it('shows every value as text, also one that looks like a slot', () => {
    const values = { name: `{{fault}}<i>"x"'&\r`, fault: '' }
    expect(make()(['form']).fill(values)).toBe(
      '<p>{{fault}}&lt;i&gt;&quot;x&quot;&#39;&amp;&#13;</p>',
    )
  })

  it('is prepared once for each combination', () => {
    const template = make()
    expect(template(['form'])).toBe(template(['form']))
  })

  it.each([
    ['no slot', html.replace('{{name}}', '')],
    ['a slot that nobody fills', html.replace('{{name}}', '{{name}}{{code}}')],
    ['no section', html.replace(/\{\{.sent\}\}/g, '')],
    ['no start', html.replace('{{#sent}}', '')],
    ['no end', html.replace('{{/sent}}', '')],
  ])('with %s stops the start and names the cure', (_, text) => {
    expect(() => make(text)).toThrow(StartFault)
    expect(() => make(text)).toThrow(/page\.html: .+npm run build/)
  })
})
