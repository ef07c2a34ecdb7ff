import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { expect } from '@playwright/test'
import type { EngineName } from '../../../scripts/engines.mjs'
import { findFreePort } from '../../support/free-port.ts'

/** A page in a browser that Playwright can't drive. */
export interface EnginePage {
  goto(url: string): Promise<void>
  reload(): Promise<void>
  /**
   * Evaluates an expression in the page and awaits the resulting promise. The value must be
   * JSON-serializable.
   */
  evaluate<T>(expression: string): Promise<T>
  click(xpath: string): Promise<void>
  chooseFile(xpath: string, path: string): Promise<void>
  close(): Promise<void>
}

export function openEngine(name: EngineName, folder: string): Promise<EnginePage> {
  return name === 'firefox' ? openFirefox(folder) : openWebKit()
}

/** Launches Firefox through WebDriver BiDi. */
async function openFirefox(folder: string): Promise<EnginePage> {
  const args = ['--headless', '--no-remote', '--profile', folder, '--remote-debugging-port', '0']
  const firefoxProcess = spawn('firefox-esr', args, { stdio: ['ignore', 'ignore', 'pipe'] })
  const url = await findFirstMatch(firefoxProcess.stderr, /BiDi listening on (ws:\S+)/)
  const socket = new WebSocket(`${url}/session`)
  await once(socket, 'open')
  const pendingCalls = new Map<number, (response: BidiResponse) => void>()
  socket.addEventListener('message', ({ data }) => {
    const response: BidiResponse = JSON.parse(data)
    pendingCalls.get(response.id)?.(response)
  })
  let lastId = 0
  // biome-ignore lint/suspicious/noExplicitAny: results differ by command.
  const send = async (method: string, params: object): Promise<any> => {
    lastId += 1
    const id = lastId
    const { promise, resolve } = Promise.withResolvers<BidiResponse>()
    pendingCalls.set(id, resolve)
    socket.send(JSON.stringify({ id, method, params }))
    const response = await promise
    pendingCalls.delete(id)
    if (response.type === 'error') throw new Error(`${method}: ${response.message}`)
    return response.result
  }
  await send('session.new', { capabilities: {} })
  const { contexts } = await send('browsingContext.getTree', {})
  const { context } = contexts[0]
  const evaluate = async (expression: string) => {
    const { result, exceptionDetails } = await send('script.evaluate', {
      target: { context },
      expression: `Promise.resolve(${expression}).then((value) => JSON.stringify(value))`,
      awaitPromise: true,
      // Without user activation, the page can't write to the clipboard after a click.
      userActivation: true,
    })
    if (exceptionDetails) throw new Error(exceptionDetails.text)
    return result.value === undefined ? undefined : JSON.parse(result.value)
  }
  return {
    goto: (to) => send('browsingContext.navigate', { context, url: to, wait: 'complete' }),
    reload: () => send('browsingContext.reload', { context, wait: 'complete' }),
    evaluate,
    click: (xpath) =>
      evaluate(`document.evaluate(${JSON.stringify(xpath)}, document).iterateNext().click()`),
    chooseFile: async (xpath, path) => {
      const locator = { type: 'xpath', value: xpath }
      const { nodes } = await send('browsingContext.locateNodes', { context, locator })
      const element = { sharedId: nodes[0].sharedId }
      await send('input.setFiles', { context, element, files: [path] })
    },
    close: async () => {
      socket.close()
      await killProcess(firefoxProcess)
    },
  }
}

interface BidiResponse {
  id: number
  type: 'success' | 'error'
  result?: unknown
  message?: string
}

/** Launches WebKitGTK on a virtual display through WebKitWebDriver. */
async function openWebKit(): Promise<EnginePage> {
  const xvfbProcess = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1280x800x24'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  const displayNumber = await findFirstMatch(xvfbProcess.stdio[3] as Readable, /^(\d+)$/)
  const port = await findFreePort()
  const driverProcess = spawn('WebKitWebDriver', [`--port=${port}`, '--host=127.0.0.1'], {
    stdio: 'ignore',
    env: { ...process.env, DISPLAY: `:${displayNumber}` },
  })
  // biome-ignore lint/suspicious/noExplicitAny: results differ by command.
  const callDriver = async (method: string, path: string, body?: object): Promise<any> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
    })
    const { value } = (await response.json()) as { value: { error?: string } }
    if (!response.ok) throw new Error(`${method} ${path}: ${value.error}`)
    return value
  }
  await expect(() => callDriver('GET', '/status')).toPass()
  const { sessionId } = await callDriver('POST', '/session', { capabilities: {} })
  const sessionPath = `/session/${sessionId}`
  const findElement = async (xpath: string) => {
    const locator = { using: 'xpath', value: xpath }
    const [id] = Object.values(await callDriver('POST', `${sessionPath}/element`, locator))
    return `${sessionPath}/element/${id}`
  }
  return {
    goto: (url) => callDriver('POST', `${sessionPath}/url`, { url }),
    reload: () => callDriver('POST', `${sessionPath}/refresh`, {}),
    evaluate: async (expression) => {
      const script = `const done = arguments[0]
        Promise.resolve(${expression}).then(
          (value) => done(JSON.stringify({ value })),
          (error) => done(JSON.stringify({ error: String(error) })),
        )`
      const { value, error } = JSON.parse(
        await callDriver('POST', `${sessionPath}/execute/async`, { script, args: [] }),
      )
      if (error) throw new Error(error)
      return value
    },
    click: async (xpath) => callDriver('POST', `${await findElement(xpath)}/click`, {}),
    chooseFile: async (xpath, path) =>
      callDriver('POST', `${await findElement(xpath)}/value`, { text: path }),
    close: async () => {
      await callDriver('DELETE', sessionPath).catch(() => undefined)
      await killProcess(driverProcess)
      await killProcess(xvfbProcess)
    },
  }
}

/** Resolves with the first capture group of the first matching line. */
function findFirstMatch(output: Readable, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    const lines = createInterface(output)
    lines.on('line', (line) => {
      const match = pattern.exec(line)?.[1]
      if (match !== undefined) resolve(match)
    })
    lines.on('close', () => reject(new Error(`The browser ended before it wrote ${pattern}.`)))
  })
}

async function killProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exitPromise = once(child, 'exit')
  child.kill()
  await exitPromise
}
