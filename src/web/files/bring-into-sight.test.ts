// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { bringIntoSight, mayScroll } from './bring-into-sight.ts'

const missed = { isShown: false, isAtTop: true, usesKeyboard: false }

describe('the page scrolls to a new row', () => {
  it.each([
    ['that would be missed', {}, true],
    ['but not where it can be seen', { isShown: true }, false],
    ['but not for somebody who has scrolled away', { isAtTop: false }, false],
    ['but not under the hands of somebody who types', { usesKeyboard: true }, false],
  ])('%s', (_what, changes, scrolls) => {
    expect(mayScroll({ ...missed, ...changes })).toBe(scrolls)
  })
})

describe('a row', () => {
  /** What lies at a place of the window; null outside of it. */
  let at: (y: number, x: number) => Element | null
  let scrolled: unknown[]
  let row: HTMLElement
  beforeEach(() => {
    scrolled = []
    row = document.createElement('li')
    document.body.append(row)
    row.getBoundingClientRect = () => new DOMRect(0, 500, 300, 100)
    row.scrollIntoView = (options) => void scrolled.push(options)
    Object.assign(document, { elementFromPoint: (x: number, y: number) => at(y, x) })
    window.scrollTo(0, 0)
  })
  afterEach(() => {
    Reflect.deleteProperty(document, 'elementFromPoint')
    window.scrollTo(0, 0)
  })

  it('stays where it is if all of it can be seen', () => {
    at = () => row
    bringIntoSight(row)
    expect(scrolled).toEqual([])
  })

  it.each([
    ['is below the window', () => null],
    ['is half below the window', (y: number) => (y < 550 ? row : null)],
    ['is half behind the uploads panel', (y: number) => (y < 550 ? row : document.body)],
    ['has its name behind the panel', (_y: number, x: number) => (x > 100 ? row : document.body)],
    ['has its buttons behind a toast', (_y: number, x: number) => (x < 200 ? row : document.body)],
  ])('is scrolled into the middle if it %s', (_where, lies) => {
    at = lies
    bringIntoSight(row)
    expect(scrolled).toMatchObject([{ block: 'center' }])
  })

  it('is left alone once the person has scrolled', () => {
    at = () => null
    window.scrollTo(0, 120)
    bringIntoSight(row)
    expect(scrolled).toEqual([])
  })

  it('is left alone while the person types, and never takes the focus', () => {
    at = () => null
    const field = document.createElement('input')
    document.body.append(field)
    field.focus()
    bringIntoSight(row)
    expect(scrolled).toEqual([])
    expect(document.activeElement).toBe(field)
  })
})
