import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'

const module = import.meta.resolve('./log.ts')

/** Runs a process that logs by this script. Returns what it wrote. */
async function written(format: 'readable' | 'json', script: string): Promise<string> {
  const program = `
    import { createLogger } from ${JSON.stringify(module)}
    const log = await createLogger({ level: 'info', format: '${format}' })
    ${script}`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: import.meta.dirname,
    env: { NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out] = await Promise.all([text(child.stdout), text(child.stderr)])
  return out
}

/**
 * This text moves the cursor, changes colours, sets a window's title, clears the screen, reorders
 * letters and imitates a line of the log.
 */
const hostile =
  'a\u001b[31m\u001b]0;title\u0007\u009b2J\u0085\u007f\u0000\b\r\u202egpj.exe\u2066\u2028\n[12:00:00.000] INFO: forged'

const script = `
  const hostile = ${JSON.stringify(hostile)}
  log.warn({ fileName: hostile, list: [hostile], [hostile]: 1 }, hostile)
  log.info({ method: 'GET', path: hostile, status: 200, ms: 3 }, 'request')
  log.error({ err: Object.assign(new Error(hostile), { code: hostile, cause: new Error(hostile) }) }, 'failed')
  log.child({ requestId: hostile }).info(hostile)`

/** Matches the characters that control a terminal, except line breaks. */
const works = /(?!\n)[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u

describe.each(['readable', 'json'] as const)('a %s log', (format) => {
  it('holds nothing that works on a terminal, whatever people call their files', async () => {
    const out = await written(format, script)
    expect(out).not.toMatch(works)
    expect(out.match(/gpj\.exe/g)?.length).toBeGreaterThan(6)
  })

  it('has no line that somebody else wrote', async () => {
    const lines = (await written(format, script)).split('\n')
    const forged = lines.filter((line) => /^\[12:00:00\.000\]/.test(line))
    expect(forged).toEqual([])
  })

  it.each([
    ['ends', ''],
    ['is ended', 'process.exit(1)'],
    ['crashes', 'throw new Error("crash")'],
    ['crashes later', 'setImmediate(() => { throw new Error("crash") })'],
  ])('is whole where the process %s', async (_how, end) => {
    const out = await written(
      format,
      `for (let line = 1; line <= 5000; line += 1) log.info({ line }, 'one of many')\n${end}`,
    )
    expect(out.trimEnd().split('\n')).toHaveLength(5000)
    expect(out).toMatch(/"line":5000/)
  })
})

it('a readable log says a request in few words, and where an error was', async () => {
  const out = await written(
    'readable',
    `log.info({ requestId: 'r1', method: 'GET', path: '/login', status: 200, ms: 3 }, 'request')
     log.error({ err: new Error('no room') }, 'failed')`,
  )
  expect(out).toMatch(
    /^\[\d\d:\d\d:\d\d\.\d{3}\] INFO: GET \/login 200 in 3 ms \{"requestId":"r1"\}$/m,
  )
  expect(out).toMatch(/ERROR: failed/)
  expect(out).toMatch(/no room\n {4,}at /)
})

it('a JSON log is one object a line, with the text as it was', async () => {
  const lines = (await written('json', script)).trimEnd().split('\n')
  expect(lines).toHaveLength(4)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    level: 'warn',
    fileName: hostile,
    msg: hostile,
  })
})
