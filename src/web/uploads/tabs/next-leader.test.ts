import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Browser, never, openBrowser, pass } from '../../../../tests/support/browser-tabs.ts'
import { fileNamed } from '../../../../tests/support/upload-facts.ts'

let browser: Browser
beforeEach(() => {
  browser = openBrowser()
})
afterEach(() => browser.close())

describe('when the leading tab is gone', () => {
  test('the next one goes on after 5 s with the files that it has, and asks for the others', async () => {
    browser.onSend = never
    const [one, two] = browser.openTwo()
    one.add(fileNamed('one.txt'))
    two.add(fileNamed('two.txt'))
    await pass()
    expect(two.shown()).toEqual(['one.txt uploading', 'two.txt pending'])
    one.close()
    browser.onSend = () => undefined
    await pass(1)
    expect(two.shown()).toEqual(['one.txt paused file', 'two.txt paused'])
    await pass(7000)
    expect(two.shown()).toEqual(['one.txt paused file', 'two.txt completed'])
  })

  test('the next one gets the files that a third tab has', async () => {
    browser.onSend = never
    const [one, two] = browser.openTwo()
    const three = browser.openTab('ada')
    three.add(fileNamed('a.txt'))
    await pass()
    one.close()
    browser.onSend = () => undefined
    await pass(7000)
    expect(two.shown()).toEqual(['a.txt completed'])
    expect(three.shown()).toEqual(['a.txt completed'])
  })

  test('nothing is lost that it had just been told', async () => {
    browser.onSend = never
    const [one, two] = browser.openTwo()
    await pass()
    two.add(fileNamed('a.txt'))
    await pass(10)
    expect(browser.log).toContain('send a.txt')
    one.close()
    browser.onSend = () => undefined
    await pass(7000)
    expect(two.shown()).toEqual(['a.txt completed'])
  })

  test('a file that it was just recognising is recognised by the next one', async () => {
    browser.onSend = never
    const one = browser.openTab('ada')
    one.add(fileNamed('a.txt'))
    await pass()
    one.close()
    const two = browser.openTab('ada')
    await pass()
    expect(two.shown()).toEqual(['a.txt paused file'])
    const three = browser.openTab('ada')
    browser.onSample = () => new Promise(() => undefined)
    three.add(fileNamed('a.txt'))
    await pass()
    browser.onSample = async (of) => `${of.size}`
    browser.onSend = () => undefined
    two.close()
    await pass(7000)
    expect(three.shown()).toEqual(['a.txt completed'])
    expect(three.state().records).toHaveLength(1)
  })

  test('the next one runs what nobody had taken', async () => {
    const [one, two] = browser.openTwo()
    two.add(fileNamed('a.txt'))
    one.close()
    await pass()
    expect(two.shown()).toEqual(['a.txt completed'])
  })
})

describe('a leading tab that does not answer', () => {
  test('is robbed of the lead after 10 s: what it ran goes on elsewhere, and it shows that', async () => {
    let signal: AbortSignal | undefined
    browser.onSend = (job) => {
      signal = job.signal
      return never(job)
    }
    const [one, two] = browser.openTwo()
    two.add(fileNamed('a.txt'))
    await pass()
    one.stop()
    let stolen = false
    signal?.addEventListener('abort', () => {
      stolen = true
    })
    browser.onSend = () => undefined
    two.add(fileNamed('b.txt'))
    await pass(8000)
    expect(browser.log).toEqual(['start a.txt', 'send a.txt'])
    await pass(10_000)
    expect(stolen).toBe(true)
    expect(two.shown()).toEqual(['a.txt completed', 'b.txt completed'])
    expect(one.shown()).toEqual(['a.txt completed', 'b.txt completed'])
    expect(browser.log.filter((line) => line.startsWith('start'))).toHaveLength(2)
  })
})

describe('a browser that elects no tab', () => {
  test('takes up what a closed page left behind after a minute, when no page can be running it', async () => {
    browser.onSend = never
    const one = browser.openTab('ada', true)
    one.add(fileNamed('a.txt'))
    await pass()
    one.close()
    const again = browser.openTab('ada', true)
    await pass(50_000)
    expect(again.shown()).toEqual([])
    await pass(15_000)
    expect(again.shown()).toEqual(['a.txt paused file'])
  })
})
