import { expect, test } from 'vitest'
import { obey, type UploadCommand, type UploadCommands } from './upload-commands.ts'

const makeEngine = () => {
  const done: unknown[] = []
  const note = (name: keyof UploadCommands) =>
    function (this: unknown, ...args: unknown[]) {
      done.push([name, ...args, this === engine])
    }
  const engine: UploadCommands = {
    add: async (added) => void done.push(['add', added]),
    cancel: note('cancel'),
    cancelForeground: note('cancelForeground'),
    resume: note('resume'),
    resumeSignedIn: async () => void done.push(['resumeSignedIn']),
    provideFile: async (...args) => {
      await new Promise((resolve) => setTimeout(resolve))
      done.push(['provideFile', ...args])
    },
    supplyFile: note('supplyFile'),
    clear: note('clear'),
    dismissInlineError: note('dismissInlineError'),
  }
  return { engine, done }
}

const picked = { file: new File(['a'], 'a.txt') }

test.each<UploadCommand>([
  { name: 'cancel', args: ['7'] },
  { name: 'cancelForeground', args: [] },
  { name: 'supplyFile', args: ['7', picked] },
])('$name is obeyed by the engine, with its arguments', async (command) => {
  const { engine, done } = makeEngine()
  await obey(engine, command)
  expect(done).toEqual([[command.name, ...command.args, true]])
})

test('a command is done at once where it can be, else when what it began has ended', async () => {
  const { engine, done } = makeEngine()
  const cancelled = obey(engine, { name: 'cancel', args: ['7'] })
  expect(done).toHaveLength(1)
  await cancelled
  await obey(engine, { name: 'provideFile', args: ['7', picked] })
  expect(done).toHaveLength(2)
})
