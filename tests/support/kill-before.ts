/*
 * Kills its own process with SIGKILL before a step: a file system call, such as `rename /to`, or a
 * query. Loaded by `node --import`. KILL_BEFORE is a regular expression. The process dies before
 * its KILL_COUNT-th match, or before the first match of KILL_AT_LATEST, and prints the step to
 * stderr.
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

/** Turns a method of `owner` into a step named by its argument at index `place`. */
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

/** A query is a string, or an object with a `text` property. */
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
