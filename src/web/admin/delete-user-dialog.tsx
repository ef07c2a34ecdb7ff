import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ListedUser } from '../../shared/contract/admin.ts'
import { counted } from '../../shared/rules/format/numbers.ts'
import { ApiError, call } from '../api/call.ts'
import { saysSignedOut } from '../api/query-client.ts'
import { DialogButtons, FormDialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { toast } from '../ui/toast.tsx'
import { errorText } from './error-text.ts'
import { refreshAfterAct } from './refresh.ts'
import { useQuestion } from './use-question.ts'
import { deletionText, isSameAddress, shownName } from './user-text.ts'

/**
 * Returns the dialog that asks whether to delete a user, and a function that opens it.
 * @param headingId the element that gets the focus after a deletion, because the user's row has
 * disappeared.
 */
export function useUserDeletion(headingId: string) {
  const { asked, ask, cancel, finish, dialogProps } = useQuestion<ListedUser>(headingId)
  const dialog = asked ? (
    <FormDialog
      {...dialogProps}
      title={`Delete ${shownName(asked)}`}
      description={deletionText(asked)}
    >
      <Question user={asked} onCancel={cancel} onDeleted={finish} />
    </FormDialog>
  ) : null
  return { ask, dialog }
}

interface QuestionProps {
  user: ListedUser
  onCancel: () => void
  onDeleted: () => void
}

/**
 * The administrator must type the user's address, so that nobody deletes the wrong user. The server
 * compares the address too.
 */
function Question({ user, onCancel, onDeleted }: QuestionProps) {
  const [errors, setErrors] = useState<{ email?: string }>({})
  const { mutateAsync: remove } = useDeleteUser(user)
  const submit = async ({ email }: { email: string }): Promise<'stay'> => {
    if (!isSameAddress(email, user.email)) {
      setErrors({ email: 'This does not match the address above.' })
      return 'stay'
    }
    setErrors({})
    try {
      await remove(email.trim())
      onDeleted()
    } catch {
      // The mutation has already shown the failure. The dialog stays open for another try.
    }
    return 'stay'
  }
  return (
    <Form names={['email']} errors={errors} onSubmit={submit}>
      {(busy) => (
        <>
          <div className="grid gap-3">
            <p className="rounded-control border border-line px-3 py-2 font-[540] wrap-anywhere">
              {user.email}
            </p>
            <TextField
              label="Type this address to delete the account"
              name="email"
              type="email"
              inputMode="email"
              autoComplete="off"
              verbatim
              required
              error={errors.email}
            />
          </div>
          <DialogButtons
            label="Delete"
            variant="danger"
            pendingLabel="Deleting…"
            busy={busy}
            onCancel={onCancel}
          />
        </>
      )}
    </Form>
  )
}

/**
 * Returns a mutation that deletes a user. If the user no longer exists, this is a success too, but
 * nobody knows then how many files there were.
 */
function useDeleteUser(user: ListedUser) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (email: string) => {
      try {
        const { id } = user
        return (await call('deleteUser', { params: { id }, body: { email } })).deletedFiles
      } catch (error) {
        if (error instanceof ApiError && error.code === 'USER_NOT_FOUND') return null
        throw error
      }
    },
    onSuccess: (deletedFiles) => {
      refreshAfterAct(client)
      toast(
        deletedFiles === null
          ? { title: `${shownName(user)} was already deleted` }
          : {
              title: `${shownName(user)} was deleted`,
              description: `${counted(deletedFiles, 'file')} deleted with the account.`,
            },
      )
    },
    onError: (error) => {
      if (saysSignedOut(error)) return
      toast({ title: 'Failed to delete user', description: errorText(error), tone: 'destructive' })
    },
  })
}
