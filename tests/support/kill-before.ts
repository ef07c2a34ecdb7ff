/*
 * Makes a script kill itself with SIGKILL just before a certain step. Load it with `node --import`.
 * A step is a query or a file system call, such as `rename /to`. The process dies before the
 * KILL_COUNT-th step that matches the regular expression KILL_BEFORE, or before the first that
 * matches KILL_AT_LATEST, whichever comes first. It prints that step to stderr.
 */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import pg from 'pg'

const { KILL_BEFORE = '', KILL_COUNT = '1', KILL_AT_LATEST = '$.' } = process.env
const killPattern = new RegExp(KILL_BEFORE)
const latestPattern = new RegExp(KILL_AT_LATEST)
let remainingMatches = Number(KILL_COUNT)

function onStep(text: string): void {
  if (killPattern.test(text)) remainingMatches -= 1
  if (remainingMatches > 0 && !latestPattern.test(text)) return
  fs.writeSync(2, `Killed before: ${text}\n`)
  process.kill(process.pid, 'SIGKILL')
}

/**
 * Makes each call to a method of `owner` a step, which is named after the method and its argument
 * at `argumentIndex`.
 */
function killBeforeCalls<Owner extends object>(
  owner: Owner,
  name: keyof Owner & string,
  argumentIndex: number,
): void {
  const originalMethod: unknown = Reflect.get(owner, name)
  if (typeof originalMethod !== 'function') throw new Error(`there is no function ${name}`)
  Reflect.set(owner, name, function (this: unknown, ...args: unknown[]) {
    onStep(`${name} ${getStepText(args[argumentIndex])}`)
    return Reflect.apply(originalMethod, this, args)
  })
}

/** A query is either a string or an object with a `text` property. */
function getStepText(argument: unknown): string {
  if (typeof argument === 'object' && argument !== null && 'text' in argument) {
    return String(argument.text)
  }
  return String(argument)
}

for (const name of ['mkdir', 'open', 'rm', 'writeFile', 'chmod'] as const) {
  killBeforeCalls(fs.promises, name, 0)
}
for (const name of ['rename', 'link'] as const) killBeforeCalls(fs.promises, name, 1)
killBeforeCalls(fs, 'createWriteStream', 0)
killBeforeCalls(pg.Client.prototype, 'query', 0)
syncBuiltinESMExports()
