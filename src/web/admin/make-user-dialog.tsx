import { useQueryClient } from '@tanstack/react-query'
import { passwordHint } from '../../shared/contract/account.ts'
import { newUserBody } from '../../shared/contract/admin.ts'
import { call } from '../api/call.ts'
import { useAuthForm } from '../auth/use-auth-form.ts'
import { Button } from '../ui/button.tsx'
import { PasswordField, TextField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { FormDialog } from '../ui/form-dialog.tsx'
import { toast } from '../ui/toast.tsx'
import { refreshAfterAct } from './refresh.ts'

const names = ['firstName', 'lastName', 'email', 'password'] as const

export interface MakeUserDialogProps {
  open: boolean
  onOpenChange: (open: boolean) => void
}

/**
 * Makes an account for another person. This works even if nobody may sign up (design §5, `SIGNUP`).
 */
export function MakeUserDialog({ open, onOpenChange }: MakeUserDialogProps) {
  return (
    <FormDialog
      open={open}
      onOpenChange={onOpenChange}
      wide
      title="Add user"
      description="The account works at once, also where signing up is closed. No mail is sent: tell the person the password yourself."
    >
      <MakeUserForm onDone={() => onOpenChange(false)} />
    </FormDialog>
  )
}

function MakeUserForm({ onDone }: { onDone: () => void }) {
  const client = useQueryClient()
  const form = useAuthForm({
    names,
    schema: newUserBody,
    send: async (body) => {
      const { email } = await call('makeUser', { body })
      refreshAfterAct(client)
      toast({ title: 'User added', description: `${email} can sign in now.` })
      onDone()
      return 'stay'
    },
    failed: {
      title: 'User not added',
      description: 'Failed to create account. Please try again.',
    },
    refusals: { EMAIL_TAKEN: { email: 'An account with this email already exists.' } },
  })
  return (
    <Form {...form}>
      {(busy) => (
        <>
          <div className="grid items-start gap-5 sm:grid-cols-2 sm:gap-4">
            <TextField
              label="First name"
              name="firstName"
              autoComplete="off"
              required
              error={form.errors.firstName}
            />
            <TextField
              label="Last name"
              name="lastName"
              autoComplete="off"
              required
              error={form.errors.lastName}
            />
          </div>
          <TextField
            label="Email"
            name="email"
            type="email"
            inputMode="email"
            autoComplete="off"
            verbatim
            required
            error={form.errors.email}
          />
          <PasswordField
            label="Password"
            name="password"
            autoComplete="new-password"
            hint={passwordHint}
            required
            error={form.errors.password}
          />
          <div className="flex flex-wrap justify-end gap-2 max-sm:[&>*]:flex-1">
            <Button disabled={busy} onClick={onDone}>
              Cancel
            </Button>
            <Button type="submit" variant="primary" pending={busy} pendingLabel="Adding…">
              Add user
            </Button>
          </div>
        </>
      )}
    </Form>
  )
}
