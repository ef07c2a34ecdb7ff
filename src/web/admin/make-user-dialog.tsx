import { useQueryClient } from '@tanstack/react-query'
import { newUserBody } from '../../shared/contract/admin.ts'
import { call } from '../api/call.ts'
import { AccountFields } from '../auth/account-fields.tsx'
import { useAuthForm } from '../auth/use-auth-form.ts'
import { Form } from '../ui/form.tsx'
import { DialogButtons, FormDialog } from '../ui/form-dialog.tsx'
import { toast } from '../ui/toast.tsx'
import { refreshAfterAct } from './refresh.ts'

const names = ['firstName', 'lastName', 'email', 'password'] as const

export interface MakeUserDialogProps {
  open: boolean
  onOpenChange: (open: boolean) => void
}

/**
 * Makes an account for another person. This works even if the setting `SIGNUP` lets nobody sign up.
 */
export function MakeUserDialog({ open, onOpenChange }: MakeUserDialogProps) {
  return (
    <FormDialog
      open={open}
      onOpenChange={onOpenChange}
      wide
      title="Add user"
      description="The account works at once, even if sign-up is closed. No email is sent, so pass on the password yourself."
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
          <AccountFields errors={form.errors} isOwn={false} />
          <DialogButtons
            label="Add user"
            variant="primary"
            pendingLabel="Adding…"
            busy={busy}
            onCancel={onDone}
          />
        </>
      )}
    </Form>
  )
}
