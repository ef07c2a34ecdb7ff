/*
 * Kills its own process before one of its steps, with SIGKILL. It is loaded ahead of a program, by
 * `node --import`. A step is a call that can change the file system, such as `rename /to`, or a
 * query, such as `query select 1`.
 *
 * KILL_BEFORE is a regular expression. The process is killed before the KILL_COUNT-th step that it
 * matches, or before the first that KILL_AT_LATEST matches. Before that, the process prints the
 * step to the standard error.
 */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import pg from 'pg'

const { KILL_BEFORE = '', KILL_COUNT = '1', KILL_AT_LATEST = '$.' } = process.env
const before = new RegExp(KILL_BEFORE)
const latest = new RegExp(KILL_AT_LATEST)
let left = Number(KILL_COUNT)

function step(text: string): void {
  if (before.test(text)) left -= 1
  if (left > 0 && !latest.test(text)) return
  fs.writeSync(2, `Killed before: ${text}\n`)
  process.kill(process.pid, 'SIGKILL')
}

/** Makes a function of `owner` a step, which is named for its argument at `place`. */
function watch<Owner extends object>(
  owner: Owner,
  name: keyof Owner & string,
  place: number,
): void {
  const original: unknown = Reflect.get(owner, name)
  if (typeof original !== 'function') throw new Error(`there is no function ${name}`)
  Reflect.set(owner, name, function (this: unknown, ...args: unknown[]) {
    step(`${name} ${textOf(args[place])}`)
    return Reflect.apply(original, this, args)
  })
}

/** A query is a text, or an object that has one. */
function textOf(argument: unknown): string {
  if (typeof argument === 'object' && argument !== null && 'text' in argument) {
    return String(argument.text)
  }
  return String(argument)
}

for (const name of ['mkdir', 'open', 'rm', 'writeFile', 'chmod'] as const) {
  watch(fs.promises, name, 0)
}
for (const name of ['rename', 'link'] as const) watch(fs.promises, name, 1)
watch(fs, 'createWriteStream', 0)
watch(pg.Client.prototype, 'query', 0)
syncBuiltinESMExports()
