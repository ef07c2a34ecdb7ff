import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ListedUser } from '../../shared/contract/admin.ts'
import { formatCount } from '../../shared/rules/format/numbers.ts'
import { call, hasErrorCode } from '../api/call.ts'
import { DialogButtons, FormDialog, useDialogSubject } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { type FieldErrors, Form } from '../ui/form.tsx'
import { toast } from '../ui/toast.tsx'
import { refreshAdminData, showAdminFailure } from './admin-queries.ts'
import { deletionText, displayName, isSameAddress } from './user-text.ts'

/** Returns the confirmation dialog for deleting a user, and a function that opens it. */
export function useUserDeletion() {
  const { subject: user, open, cancel, finish, dialogProps } = useDialogSubject<ListedUser>('users')
  const dialog = user ? (
    <FormDialog
      {...dialogProps}
      title={`Delete ${displayName(user)}`}
      description={deletionText(user)}
    >
      <DeleteUserForm user={user} onCancel={cancel} onDeleted={finish} />
    </FormDialog>
  ) : null
  return { open, dialog }
}

interface DeleteUserFormProps {
  user: ListedUser
  onCancel: () => void
  onDeleted: () => void
}

/**
 * To avoid deleting the wrong user, the administrator must type the user's email address, which the
 * server checks too. A user who no longer exists counts as deleted.
 */
function DeleteUserForm({ user, onCancel, onDeleted }: DeleteUserFormProps) {
  const client = useQueryClient()
  const [errors, setErrors] = useState<FieldErrors>({})
  const { mutateAsync: remove } = useMutation({
    mutationFn: async (email: string) => {
      const { deletedFiles } = await call('deleteUser', {
        params: { id: user.id },
        body: { email },
      })
      return `${formatCount(deletedFiles, 'file')} deleted with the account.`
    },
    onSuccess: (description) => {
      void refreshAdminData(client)
      toast({ title: `${displayName(user)} was deleted`, description })
      onDeleted()
    },
    onError: (error) => {
      if (!hasErrorCode(error, 'USER_NOT_FOUND')) {
        return showAdminFailure(client, error, 'Failed to delete user')
      }
      void refreshAdminData(client)
      toast({ title: `${displayName(user)} was already deleted` })
      onDeleted()
    },
  })
  const submit = async ({ email }: { email: string }) => {
    const isMatch = isSameAddress(email, user.email)
    setErrors(isMatch ? {} : { email: 'This does not match the address above.' })
    // If the request fails, the dialog stays open for a retry.
    if (isMatch) await remove(email.trim()).catch(() => undefined)
  }
  return (
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
      <DialogButtons label="Delete" variant="danger" pendingLabel="Deleting…" onCancel={onCancel} />
    </Form>
  )
}
