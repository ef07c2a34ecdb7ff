import { describe, expect, it } from 'vitest'
import { StartupError } from '../errors.ts'
import { type BuiltTemplate, makeTemplate } from './built-pages.ts'

type Name = 'name' | 'size'
type ConditionName = 'known' | 'late'

function createTemplate(html: string, options: Partial<BuiltTemplate<Name, ConditionName>> = {}) {
  return makeTemplate<Name, ConditionName>({
    file: 'page.html',
    html,
    placeholders: ['name', 'size'],
    conditions: ['known', 'late'],
    ...options,
  })
}

const page =
  '<b>{{name}}</b>{{#known}}<i title="{{size}}">known</i>{{/known}}{{#late}}late{{/late}}'

describe('a template', () => {
  it('fills placeholders and keeps sections whose condition is true', () => {
    const placeholderValues = { name: 'a.txt', size: '1 KB' }
    expect(createTemplate(page)([]).fill(placeholderValues)).toBe('<b>a.txt</b>')
    expect(createTemplate(page)(['known']).fill(placeholderValues)).toBe(
      '<b>a.txt</b><i title="1 KB">known</i>',
    )
    expect(createTemplate(page)(['late', 'known']).text).toContain('late')
  })

  it('escapes values that look like placeholders or HTML', () => {
    const name = `{{size}}{{#late}}</b><script>&"'\r`
    const { fill } = createTemplate(page)([])
    expect(fill({ name, size: '' })).toBe(
      '<b>{{size}}{{#late}}&lt;/b&gt;&lt;script&gt;&amp;&quot;&#39;&#13;</b>',
    )
  })

  it('takes HTML from another template as it is, but not its placeholders', () => {
    const { fill } = createTemplate(page)([])
    expect(fill({ name: { html: '<i>{{size}}</i>' }, size: '1 KB' })).toBe('<b><i>{{size}}</i></b>')
  })

  it('can repeat and nest sections', () => {
    const html = '{{#known}}1{{#late}}2{{/late}}{{/known}}{{#late}}3{{/late}}{{name}}{{size}}'
    const renderText = (trueConditions: ConditionName[]) =>
      createTemplate(html)(trueConditions).fill({ name: '', size: '' })
    expect([
      renderText([]),
      renderText(['known']),
      renderText(['late']),
      renderText(['known', 'late']),
    ]).toEqual(['', '1', '3', '123'])
  })
})

describe('a page from another version', () => {
  it.each([
    ['an unknown placeholder', `${page}{{other}}`],
    ['a missing placeholder', page.replace('{{size}}', '')],
    ['a missing section', page.replace('{{#late}}late{{/late}}', '')],
    ['a section without an end', page.replace('{{/known}}', '')],
    ['a section without a start', page.replace('{{#late}}', '')],
    ['a section that ends twice', `${page}{{/late}}`],
  ])('with %s fails startup with a remedy', (_problem, html) => {
    expect(() => createTemplate(html)).toThrow(StartupError)
    expect(() => createTemplate(html)).toThrow(/page\.html.*npm run build/)
  })

  it('may lack placeholders and sections if it is partial', () => {
    const html = '<b>{{name}}</b>'
    const { fill } = createTemplate(html, { isPartial: true })(['late'])
    expect(fill({ name: 'x', size: '' })).toBe('<b>x</b>')
    expect(() => createTemplate(`${html}{{#late}}`, { isPartial: true })).toThrow(StartupError)
    expect(() => createTemplate(`${html}{{other}}`, { isPartial: true })).toThrow(StartupError)
  })
})
