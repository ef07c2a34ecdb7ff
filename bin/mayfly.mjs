#!/usr/bin/env node
/**
 * The program of the npm package. The server needs Node 24. If this is an older one, starts the one
 * in the package for this platform.
 */
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const usage = `Usage: mayfly [command]

  start            Starts the server. This is the default.
  add PATH…        Shares files on this machine by a link.
  backup FOLDER    Backs up the database and the files, even while the server runs.
  restore FOLDER   Restores a backup.
  check            Checks the settings, the database and the storage.

Files are kept in ./data, and settings are read from the environment and from .env.`

const commands = ['start', 'add', 'backup', 'restore', 'check']
const minNodeMajor = 24

const [command = 'start', ...args] = process.argv.slice(2)
const takesArguments = ['add', 'backup', 'restore'].includes(command)
if (['--version', '-v'].includes(command)) {
  console.log(createRequire(import.meta.url)('../package.json').version)
} else if (commands.includes(command) && (takesArguments || args.length === 0)) {
  await run(command, args)
} else {
  const asksForHelp = ['help', '--help', '-h'].some((word) => word === command || word === args[0])
  const isUnknown = !asksForHelp && !commands.includes(command)
  console.error(isUnknown ? `Unknown command: ${command}\n\n${usage}` : usage)
  process.exitCode = asksForHelp ? 0 : 2
}

async function run(command, args) {
  const { nodeFolder } = await import('./prepare.mjs')
  const script = new URL(`../dist/server/${command}.js`, import.meta.url)
  if (Number.parseInt(process.versions.node, 10) >= minNodeMajor) {
    process.argv = [process.execPath, fileURLToPath(script), ...args]
    await import(script.href)
  } else if (nodeFolder !== null) {
    runInChild(join(nodeFolder, 'bin/node'), [fileURLToPath(script), ...args])
  } else {
    console.error(`Mayfly needs Node ${minNodeMajor} here, not ${process.version}. Install it.`)
    process.exitCode = 1
  }
}

function runInChild(program, args) {
  const child = spawn(program, args, { stdio: 'inherit' })
  child.on('error', (error) => {
    console.error(`Node ${minNodeMajor} cannot be run: ${error.message}`)
    process.exitCode = 1
  })
  child.on('exit', (code) => {
    process.exitCode = code ?? 1
  })
  // The server ignores Ctrl-C's second signal, from the terminal or from here.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
}
