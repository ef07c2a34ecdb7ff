import { useState } from 'react'
import { signInWays } from '../../../shared/contract/sign-in-ways.ts'
import { call } from '../../api/call.ts'
import { Button } from '../../ui/button.tsx'
import { PasswordField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { useAuthForm } from '../use-auth-form.ts'
import { UsernameForManagers, wrongPassword } from './current-password.tsx'

const names = ['currentPassword'] as const

/**
 * A button that opens a dialog. The dialog asks for the password and then sends the person to
 * Google.
 */
export function AddGoogle({ email }: { email: string }) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button size="small" onClick={() => setOpen(true)}>
        Add Google
      </Button>
      <FormDialog
        open={open}
        onOpenChange={setOpen}
        title="Add Google"
        description="Enter your password. Then choose the Google account that may sign in here."
      >
        <AddGoogleForm email={email} onCancel={() => setOpen(false)} />
      </FormDialog>
    </>
  )
}

function AddGoogleForm({ email, onCancel }: { email: string; onCancel: () => void }) {
  const form = useAuthForm({
    names,
    schema: signInWays.linkGoogle.body,
    send: async (body) => {
      const { url } = await call('linkGoogle', { body })
      window.location.assign(url)
      return 'leave'
    },
    failed: { title: 'Google not added', description: 'Failed to add Google. Please try again.' },
    refusals: wrongPassword,
  })
  return (
    <Form {...form}>
      {(busy) => (
        <>
          <UsernameForManagers email={email} />
          <PasswordField
            label="Your password"
            name="currentPassword"
            autoComplete="current-password"
            required
            error={form.errors.currentPassword}
          />
          <div className="flex flex-wrap justify-end gap-2">
            <Button onClick={onCancel}>Cancel</Button>
            <Button
              type="submit"
              variant="primary"
              pending={busy}
              pendingLabel="Leading to Google..."
            >
              Go to Google
            </Button>
          </div>
        </>
      )}
    </Form>
  )
}
