import { expect, test } from 'vitest'
import type { ToastOptions } from '../ui/toast.tsx'
import { createSignInAgain } from './sign-in-again.ts'

test("toast 'Unauthorized / You are logged out. Logging in again...' and /api/login after 500 ms, once", () => {
  const toasts: ToastOptions[] = []
  const tasks: { task: () => void; delay: number }[] = []
  const visited: string[] = []
  const signInAgain = createSignInAgain(
    (options) => toasts.push(options),
    (task, delay) => tasks.push({ task, delay }),
    (address) => visited.push(address),
  )

  signInAgain()
  signInAgain()

  expect(toasts).toEqual([
    {
      title: 'Unauthorized',
      description: 'You are logged out. Logging in again...',
      tone: 'destructive',
    },
  ])
  expect(tasks.map(({ delay }) => delay)).toEqual([500])
  expect(visited).toEqual([])
  tasks[0]?.task()
  expect(visited).toEqual(['/api/login'])
})
