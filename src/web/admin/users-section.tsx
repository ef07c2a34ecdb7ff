import { useQuery, useQueryClient } from '@tanstack/react-query'
import { SearchX, UserPlus, Users } from 'lucide-react'
import { useState } from 'react'
import { type ListedUser, newestUserCount, newUserBody } from '../../shared/contract/admin.ts'
import { maxEmailLength } from '../../shared/rules/accounts/email-limits.ts'
import { call } from '../api/call.ts'
import { serverNow } from '../api/server-clock.ts'
import { AccountFields } from '../auth/account-fields.tsx'
import { useAuthForm } from '../auth/use-auth-form.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { DialogButtons, FormDialog } from '../ui/dialog.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Form } from '../ui/form.tsx'
import { QueryContent } from '../ui/load-error.tsx'
import { SearchField, useSearch } from '../ui/search-field.tsx'
import { RowsLoading } from '../ui/skeleton.tsx'
import { toast } from '../ui/toast.tsx'
import { refreshAdminData, statsQuery, usersQuery } from './admin-queries.ts'
import { DeleteUserDialog } from './delete-user-dialog.tsx'
import { SectionFrame } from './section.tsx'
import { UserRow, userColumns } from './user-row.tsx'
import { describeUserList } from './user-text.ts'

/**
 * The newest users, or those whose email address or name matches a search (spec §2). The search
 * runs while the administrator types.
 */
export function UsersSection() {
  const { input, search, setInput } = useSearch()
  const query = useQuery(usersQuery(search))
  const { data: users, isPlaceholderData } = query
  const total = useQuery(statsQuery).data?.totalUsers
  const [isAdding, setAdding] = useState(false)
  const [userToDelete, setUserToDelete] = useState<ListedUser | null>(null)
  const now = serverNow()
  return (
    <SectionFrame
      id="users"
      note={
        users ? (
          <span role="status">{describeUserList({ search, shownCount: users.length, total })}</span>
        ) : null
      }
      action={
        <Button size="small" icon={<UserPlus />} onClick={() => setAdding(true)}>
          Add user
        </Button>
      }
    >
      <div className="mb-3">
        <SearchField
          label="Search all by email or name"
          value={input}
          onValueChange={setInput}
          maxLength={maxEmailLength}
        />
      </div>
      <QueryContent
        query={query}
        failed="The users could not be loaded"
        loading={<RowsLoading label="Loading the users" rows={newestUserCount} />}
      >
        {(users) =>
          users.length === 0 ? (
            <NoUsersFound search={search} onClear={() => setInput('')} />
          ) : (
            <Card className={isPlaceholderData ? 'opacity-60 transition-opacity duration-150' : ''}>
              <div
                aria-hidden="true"
                className={`hidden gap-x-4 px-5 py-2.5 text-muted text-sm sm:grid ${userColumns}`}
              >
                <span>User</span>
                <span>Tier</span>
                <span className="text-right">Files</span>
                <span className="text-right">Downloads</span>
                <span />
              </div>
              <ul aria-label="Users" aria-busy={isPlaceholderData}>
                {users.map((user) => (
                  <UserRow
                    key={user.id}
                    user={user}
                    now={now}
                    onDelete={() => setUserToDelete(user)}
                  />
                ))}
              </ul>
            </Card>
          )
        }
      </QueryContent>
      <FormDialog
        open={isAdding}
        onOpenChange={setAdding}
        wide
        title="Add user"
        description="The account works immediately, even if sign-up is closed. No email is sent: pass on the password yourself."
      >
        <AddUserForm onDone={() => setAdding(false)} />
      </FormDialog>
      {userToDelete ? (
        <DeleteUserDialog user={userToDelete} onClosed={() => setUserToDelete(null)} />
      ) : null}
    </SectionFrame>
  )
}

function NoUsersFound({ search, onClear }: { search: string; onClear: () => void }) {
  return (
    <Card>
      {search === '' ? (
        <EmptyState icon={<Users />} title="No users yet">
          New accounts appear here.
        </EmptyState>
      ) : (
        <EmptyState
          icon={<SearchX />}
          title="Nobody found"
          action={<Button onClick={onClear}>Clear search</Button>}
        >
          <span className="wrap-anywhere">No email and no name contains “{search}”.</span>
        </EmptyState>
      )}
    </Card>
  )
}

function AddUserForm({ onDone }: { onDone: () => void }) {
  const client = useQueryClient()
  const form = useAuthForm({
    schema: newUserBody,
    send: async (body) => {
      const { email } = await call('POST /api/admin/users', { body })
      void refreshAdminData(client)
      toast({ title: 'User added', description: `${email} can sign in now.` })
      onDone()
    },
    failed: {
      title: 'User not added',
      description: 'Failed to create account. Please try again.',
    },
    errorsByCode: { EMAIL_TAKEN: { email: 'An account with this email already exists.' } },
  })
  return (
    <Form {...form}>
      <AccountFields isOwnAccount={false} />
      <DialogButtons label="Add user" variant="primary" pendingLabel="Adding…" />
    </Form>
  )
}
