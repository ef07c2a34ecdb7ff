/**
 * `npm run dev` starts the server, which restarts when sources change, and Vite, which proxies
 * requests to it. One Ctrl-C stops both.
 */
import { spawn } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const vitePort = '5173'

// Developers open Vite's address, so links need that origin.
const env = {
  APP_URL: `http://127.0.0.1:${vitePort}`,
  ...process.env,
  HOST: '127.0.0.1',
  PORT: '3000',
}

const programs = [
  start(['--watch-path=src/server', '--watch-path=src/shared', 'src/server/main.ts']),
  start([
    'node_modules/vite/bin/vite.js',
    '--port',
    vitePort,
    '--strictPort',
    '--clearScreen=false',
  ]),
]

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    process.exitCode ??= 0
    stop()
  })
}
for (const program of programs) {
  program.once('exit', (code) => {
    process.exitCode ??= code ?? 0
    stop()
  })
}

/**
 * Starts a program in its own session, so that Ctrl-C reaches only this process, which forwards the
 * signal once.
 */
function start(args) {
  return spawn(process.execPath, args, { cwd: root, env, stdio: 'inherit', detached: true })
}

function stop() {
  for (const program of programs) {
    if (program.exitCode === null && program.signalCode === null) program.kill('SIGTERM')
  }
}
