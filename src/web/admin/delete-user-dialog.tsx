import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ListedUser } from '../../shared/contract/admin.ts'
import { formatCount } from '../../shared/rules/format/numbers.ts'
import { call, ignoreErrors } from '../api/call.ts'
import { useSendsMail } from '../api/public-values.ts'
import { DialogButtons, FormDialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { type FieldErrors, Form } from '../ui/form.tsx'
import { toast } from '../ui/toast.tsx'
import { refreshAdminData, showAdminFailure } from './admin-queries.ts'
import { deletionText, displayName, isSameAddress } from './user-text.ts'

export interface DeleteUserDialogProps {
  user: ListedUser
  /** Called after the closing animation. */
  onClosed: () => void
}

/**
 * The confirmation dialog for deleting a user. To avoid deleting the wrong user, the administrator
 * must type the user's email address, which the server checks too. A user who no longer exists
 * counts as deleted.
 */
export function DeleteUserDialog({ user, onClosed }: DeleteUserDialogProps) {
  const client = useQueryClient()
  const sendsMail = useSendsMail()
  const [isOpen, setOpen] = useState(true)
  const [errors, setErrors] = useState<FieldErrors>({})
  const name = displayName(user)
  const { mutateAsync: remove, isSuccess } = useMutation({
    mutationFn: async (email: string) => {
      const deletion = call('DELETE /api/admin/users/{id}', {
        params: { id: user.id },
        body: { email },
      })
      const response = await deletion.catch(ignoreErrors('USER_NOT_FOUND'))
      if (!response) return { title: `${name} was already deleted` }
      const description = `${formatCount(response.deletedFiles, 'file')} deleted with the account.`
      return { title: `${name} was deleted`, description }
    },
    onSuccess: (result) => {
      void refreshAdminData(client)
      toast(result)
      setOpen(false)
    },
    onError: (error) => showAdminFailure(client, error, 'Failed to delete user'),
  })
  const submit = async ({ email }: { email: string }) => {
    const isMatch = isSameAddress(email, user.email)
    setErrors(isMatch ? {} : { email: 'This does not match the address above.' })
    // If the request fails, the dialog stays open for a retry.
    if (isMatch) await remove(email.trim()).catch(() => undefined)
  }
  return (
    <FormDialog
      open={isOpen}
      onOpenChange={setOpen}
      onClosed={onClosed}
      // The pressed button may be gone with its row.
      finalFocus={() => (isSuccess ? document.getElementById('users') : true)}
      title={`Delete ${name}`}
      description={`${deletionText(user)}${sendsMail ? ' The user gets a receipt by email.' : ''}`}
    >
      <Form errors={errors} onSubmit={submit}>
        <div className="grid gap-3">
          <p className="rounded-control border border-line px-3 py-2 font-[540] wrap-anywhere">
            {user.email}
          </p>
          <TextField
            label="Type this address to delete the account"
            name="email"
            type="email"
            autoComplete="off"
            required
          />
        </div>
        <DialogButtons label="Delete" variant="danger" pendingLabel="Deleting…" />
      </Form>
    </FormDialog>
  )
}
