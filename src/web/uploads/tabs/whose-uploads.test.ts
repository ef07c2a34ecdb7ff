import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Browser, never, openBrowser, pass } from '../../../../tests/support/browser-tabs.ts'
import { fileNamed } from '../../../../tests/support/upload-facts.ts'

let browser: Browser
beforeEach(() => {
  browser = openBrowser()
})
afterEach(() => browser.close())

describe('uploads of several users of one browser', () => {
  test('are told of only on pages of their own user, whichever page runs them', async () => {
    const one = browser.openTab('ada')
    browser.session = 'bob'
    const two = browser.openTab('bob')
    await pass()
    two.add(fileNamed('b.txt'))
    await pass()
    expect(two.shown()).toEqual(['b.txt completed'])
    expect([one.toasts, one.refreshes]).toEqual([[], 0])
    expect([two.toasts, two.refreshes]).toEqual([['Upload Complete'], 1])
    // A tab that does not lead shows nothing of the uploads of a user who was signed in before.
    browser.session = 'ada'
    one.add(fileNamed('a.txt'))
    await pass(100)
    expect(one.toasts).toEqual(['Upload Complete'])
    browser.session = 'bob'
    browser.onSend = never
    two.add(fileNamed('c.txt'))
    await pass()
    expect(two.shown()).toEqual(['b.txt completed', 'c.txt uploading'])
    expect(two.toasts).toEqual(['Upload Complete'])
  })

  test('pause when another user uploads, who neither sees nor resumes them', async () => {
    browser.onSend = never
    const one = browser.openTab('ada')
    one.add(fileNamed('a.txt'))
    await pass()
    browser.session = 'bob'
    const two = browser.openTab('bob')
    await pass()
    expect(two.shown()).toEqual([])
    expect(one.shown()).toEqual([])
    two.add(fileNamed('b.txt'))
    await pass()
    expect(two.shown()).toEqual(['b.txt uploading'])
    expect([...browser.values.values()].map((text) => JSON.parse(text).status).sort()).toEqual([
      'paused',
      'uploading',
    ])
  })

  test('are not shown to a visitor, who cannot add any', async () => {
    const tab = browser.openTab(null)
    tab.add(fileNamed('a.txt'))
    await pass()
    expect(tab.shown()).toEqual([])
    expect(browser.log).toEqual([])
  })

  test('go on after a lapsed session when another tab signs in, or one is looked at again', async () => {
    browser.session = null
    const one = browser.openTab('ada')
    one.add(fileNamed('a.txt'))
    await pass()
    expect(one.shown()).toEqual(['a.txt paused sign-in'])
    const login = browser.openTab(null)
    browser.session = 'ada'
    login.setUser('ada')
    await pass()
    expect(one.shown()).toEqual(['a.txt completed'])

    browser.session = null
    one.add(fileNamed('b.txt'))
    await pass()
    browser.session = 'ada'
    login.look()
    await pass()
    expect(login.shown()).toEqual(['a.txt completed', 'b.txt completed'])
  })
})
