import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'

const moduleUrl = import.meta.resolve('./log.ts')

type Format = 'readable' | 'json'

/** Returns the source code of a program that runs `script` with a logger. */
function buildProgram(format: Format, script: string): string {
  return `
    import { createLogger } from ${JSON.stringify(moduleUrl)}
    const log = await createLogger({ level: 'info', format: '${format}' })
    ${script}`
}

function spawnLogger(format: Format, script: string) {
  const program = buildProgram(format, script)
  return spawn(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: import.meta.dirname,
    env: { NO_COLOR: '1' },
    stdio: 'pipe',
  })
}

async function readLog(format: Format, script: string): Promise<string> {
  const child = spawnLogger(format, script)
  const [stdout] = await Promise.all([text(child.stdout), text(child.stderr)])
  return stdout
}

function extractLineNumbers(output: string): number[] {
  return Array.from(output.matchAll(/"line":(\d+)/g), ([, number]) => Number(number))
}

/**
 * Moves the cursor, changes colors, sets the window title, clears the screen, reorders letters and
 * imitates a log line.
 */
const hostileText =
  'a\u001b[31m\u001b]0;title\u0007\u009b2J\u0085\u007f\u0000\b\r\u202egpj.exe\u2066\u2028\n[12:00:00.000] INFO: forged'

const script = `
  const hostile = ${JSON.stringify(hostileText)}
  log.warn({ fileName: hostile, list: [hostile], [hostile]: 1 }, hostile)
  log.info({ method: 'GET', path: hostile, status: 200, ms: 3 }, 'request')
  log.error({ err: Object.assign(new Error(hostile), { code: hostile, cause: new Error(hostile) }) }, 'failed')
  log.child({ requestId: hostile }).info(hostile)`

/** Terminal control characters, except line breaks. */
const controlPattern = /(?!\n)[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u

it.each(['readable', 'json'] as const)(
  'a %s log escapes control characters and line breaks in file names',
  async (format) => {
    const output = await readLog(format, script)
    expect(output).not.toMatch(controlPattern)
    expect(output.match(/gpj\.exe/g)?.length).toBeGreaterThan(6)
    expect(output.split('\n').filter((line) => /^\[12:00:00\.000\]/.test(line))).toEqual([])
    if (format === 'readable') return
    const lines = output.trimEnd().split('\n')
    expect(lines).toHaveLength(4)
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: 'warn',
      fileName: hostileText,
      msg: hostileText,
    })
  },
)

it.each([
  ['json', 'exits', 'process.exit(1)'],
  ['readable', 'is killed', 'process.kill(process.pid, "SIGKILL")'],
  ['json', 'crashes', 'setImmediate(() => { throw new Error("crash") })'],
] as const)('a %s log is complete and in order if the process %s', async (format, _, endScript) => {
  const output = await readLog(
    format,
    `for (let line = 1; line < 5000; line += 1) log.info({ line }, 'request')\n${endScript}`,
  )
  expect(output.trimEnd().split('\n')).toHaveLength(4999)
  expect(extractLineNumbers(output)).toEqual(Array.from({ length: 4999 }, (_, index) => index + 1))
})

it('the log is complete if its reader is slow and the process is killed', async () => {
  // The first write fills the pipe. The reader reads one byte and then waits.
  const program = buildProgram(
    'json',
    `import { writeSync } from 'node:fs'
     writeSync(1, '.'.repeat(65_536))
     log.info({ line: 1 }, 'request')
     log.info({ line: 2 }, 'request')
     process.kill(process.pid, 'SIGKILL')`,
  )
  const slowReader = '"$0" --input-type=module --eval "$1" | { head -c 1; sleep 0.4; cat; }'
  const reader = spawn('sh', ['-c', slowReader, process.execPath, program], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  expect(extractLineNumbers(await text(reader.stdout))).toEqual([1, 2])
})

it('the process keeps running after the log reader closes the pipe', async () => {
  const child = spawnLogger(
    'json',
    `process.stdin.once('end', () => {
       log.info({ line: 1 }, 'request')
       log.fatal({ line: 2 })
       process.exit(3)
     }).resume()`,
  )
  child.stdout.destroy()
  child.stdin.end()
  expect(await once(child, 'exit')).toEqual([3, null])
})

it('a readable log shows requests on one short line, and errors with stacks', async () => {
  const output = await readLog(
    'readable',
    `log.info({ requestId: 'r1', method: 'GET', path: '/login', status: 200, ms: 3 }, 'request')
     log.error({ err: new Error('no room') }, 'failed')`,
  )
  expect(output).toMatch(
    /^\[\d\d:\d\d:\d\d\.\d{3}\] INFO: GET \/login 200 in 3 ms \{"requestId":"r1"\}$/m,
  )
  expect(output).toMatch(/ERROR: failed/)
  expect(output).toMatch(/no room\n {4,}at /)
})
