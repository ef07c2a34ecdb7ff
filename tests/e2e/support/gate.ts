import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A network between browser and server that the test can stop. */
export interface Gate {
  /** The origin that browsers open. */
  url: string
  /** To which port of this machine everything goes. */
  forwardTo(port: number): void
  /** Lets so many more bytes through to the server and holds back what comes after. */
  holdAfter(bytes: number): { reached: Promise<void> }
  /**
   * Breaks every connection of the browser, and those that it tries to make, until `open`. The server
   * is told nothing: its side of a broken connection stays as it is.
   */
  cut(): void
  open(): void
  close(): Promise<void>
}

/** Starts a gate that is open and leads nowhere yet. */
export const startGate = async (): Promise<Gate> => {
  let target = 0
  let left = Number.POSITIVE_INFINITY
  let isCut = false
  let reached = Promise.withResolvers<void>()
  const browsers = new Set<Socket>()
  const apps = new Set<Socket>()

  const keep = (socket: Socket, among: Set<Socket>) => {
    among.add(socket)
    socket.once('close', () => among.delete(socket))
    // Broken connections are what this is for.
    socket.on('error', () => socket.destroy())
  }
  const server = createServer((browser) => {
    keep(browser, browsers)
    if (isCut) return void browser.destroy()
    const app = connect(target, '127.0.0.1')
    keep(app, apps)
    app.pipe(browser)
    app.once('close', () => browser.destroy())
    browser.on('data', (chunk) => {
      const passed = chunk.subarray(0, Math.min(left, chunk.length))
      left -= passed.length
      if (passed.length === chunk.length) {
        if (app.write(passed)) return
        browser.pause()
        app.once('drain', () => browser.resume())
      } else {
        browser.pause()
        app.write(passed)
        reached.resolve()
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    forwardTo(port) {
      target = port
    },
    holdAfter(bytes) {
      left = bytes
      reached = Promise.withResolvers()
      return { reached: reached.promise }
    },
    cut() {
      isCut = true
      for (const browser of browsers) browser.destroy()
    },
    open() {
      isCut = false
      left = Number.POSITIVE_INFINITY
    },
    async close() {
      for (const socket of [...browsers, ...apps]) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
