import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { z } from 'zod'
import { passwordHint } from '../../../shared/contract/account.ts'
import { ownAccount } from '../../../shared/contract/own-account.ts'
import { call } from '../../api/call.ts'
import { Button } from '../../ui/button.tsx'
import { PasswordField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { toast } from '../../ui/toast.tsx'
import { isConfirmed, newPasswordToast } from '../new-password.ts'
import { useAuthForm } from '../use-auth-form.ts'
import { UsernameForManagers, wrongPassword } from './current-password.tsx'
import { sessionsQuery } from './use-sessions.ts'
import { ownWaysQuery } from './use-ways.ts'

const names = ['currentPassword', 'newPassword', 'confirmPassword'] as const

const schema = ownAccount.changePassword.body
  .extend({ confirmPassword: z.string() })
  .refine(isConfirmed, { path: ['confirmPassword'] })

/** Changes the user's password. After that the fields are empty again. */
export function ChangePasswordForm({ email }: { email: string }) {
  const [changes, setChanges] = useState(0)
  const place = useRef<HTMLDivElement>(null)
  const empty = () => {
    setChanges(changes + 1)
    // The focused field was replaced by a new one, so the focus moves to the section's heading.
    place.current?.closest('section')?.querySelector<HTMLElement>('h2')?.focus()
  }
  return (
    <div ref={place}>
      <Fields key={changes} email={email} onDone={empty} />
    </div>
  )
}

function Fields({ email, onDone }: { email: string; onDone: () => void }) {
  const client = useQueryClient()
  const form = useAuthForm({
    names,
    schema,
    faultToast: newPasswordToast,
    send: async ({ currentPassword, newPassword }) => {
      const { message } = await call('changePassword', { body: { currentPassword, newPassword } })
      for (const { queryKey } of [sessionsQuery, ownWaysQuery]) {
        void client.invalidateQueries({ queryKey })
      }
      toast({ title: 'Password changed', description: message })
      onDone()
      return 'stay'
    },
    failed: {
      title: 'Password not changed',
      description: 'Failed to change the password. Please try again.',
    },
    refusals: wrongPassword,
  })

  return (
    <Form {...form}>
      {(busy) => (
        <>
          <UsernameForManagers email={email} />
          <PasswordField
            label="Current password"
            name="currentPassword"
            autoComplete="current-password"
            required
            error={form.errors.currentPassword}
          />
          <div className="grid grid-cols-1 items-start gap-5 sm:grid-cols-2 sm:gap-4">
            <PasswordField
              label="New password"
              name="newPassword"
              autoComplete="new-password"
              hint={passwordHint}
              required
              error={form.errors.newPassword}
            />
            <PasswordField
              label="Confirm new password"
              name="confirmPassword"
              autoComplete="new-password"
              required
              error={form.errors.confirmPassword}
            />
          </div>
          <div>
            <Button type="submit" pending={busy} pendingLabel="Changing...">
              Change password
            </Button>
          </div>
        </>
      )}
    </Form>
  )
}
