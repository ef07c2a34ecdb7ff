import { useQueryClient } from '@tanstack/react-query'
import { SearchX, UserPlus, Users } from 'lucide-react'
import { useState } from 'react'
import { type ListedUser, newUserBody } from '../../shared/contract/admin.ts'
import { longestAddress } from '../../shared/rules/accounts/mail-address.ts'
import { topUsers } from '../../shared/rules/accounts/user-list.ts'
import { call } from '../api/call.ts'
import { serverClock } from '../api/server-clock.ts'
import { AccountFields } from '../auth/account-fields.tsx'
import { useAuthForm } from '../auth/use-auth-form.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { DialogButtons, FormDialog } from '../ui/dialog.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Form } from '../ui/form.tsx'
import { LoadFailed } from '../ui/load-failed.tsx'
import { SearchField, useSearch } from '../ui/search-field.tsx'
import { toast } from '../ui/toast.tsx'
import { useUserDeletion } from './delete-user-dialog.tsx'
import { refreshAfterAct, useStats } from './refresh.ts'
import { RowsLoading, SectionFrame, type SectionProps } from './section.tsx'
import { useUsers } from './use-users.ts'
import { UserRow, userColumns } from './user-row.tsx'
import { usersNote } from './user-text.ts'

/**
 * The newest users, or the users whose address or name matches a search (spec §2). The search runs
 * while the administrator types. The administrator can switch the tier of each user, or delete the
 * user.
 */
export function UsersSection({ id, title }: SectionProps) {
  const { typed, search, setTyped } = useSearch()
  const { data: users, isError, isFetching, isPlaceholderData, refetch } = useUsers(search)
  const { data: stats } = useStats()
  const [isMaking, setMaking] = useState(false)
  const deletion = useUserDeletion(id)

  const content = () => {
    if (isError && !users) {
      return (
        <LoadFailed
          title="The users could not be loaded"
          onRetry={() => void refetch()}
          pending={isFetching}
        />
      )
    }
    if (!users) return <RowsLoading label="Loading the users" rows={topUsers} />
    if (users.length === 0) return <NobodyFound search={search} onClear={() => setTyped('')} />
    return <UserList users={users} isOutdated={isPlaceholderData} onDelete={deletion.ask} />
  }

  return (
    <SectionFrame
      id={id}
      title={title}
      note={
        users ? (
          <span role="status">
            {usersNote({ search, shown: users.length, total: stats?.totalUsers })}
          </span>
        ) : null
      }
      action={
        <Button size="small" icon={<UserPlus />} onClick={() => setMaking(true)}>
          Add user
        </Button>
      }
    >
      <div className="mb-3">
        <SearchField
          label="Search all by email or name"
          value={typed}
          onValueChange={setTyped}
          maxLength={longestAddress}
        />
      </div>
      {content()}
      <MakeUserDialog open={isMaking} onOpenChange={setMaking} />
      {deletion.dialog}
    </SectionFrame>
  )
}

interface UserListProps {
  users: readonly ListedUser[]
  /** True while the list still shows the users of the previous search. */
  isOutdated: boolean
  onDelete: (user: ListedUser) => void
}

function UserList({ users, isOutdated, onDelete }: UserListProps) {
  const now = new Date(serverClock().now())
  return (
    <Card className={isOutdated ? 'opacity-60 transition-opacity duration-150' : ''}>
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
      <ul aria-label="Users" aria-busy={isOutdated}>
        {users.map((user) => (
          <UserRow key={user.id} user={user} now={now} onDelete={() => onDelete(user)} />
        ))}
      </ul>
    </Card>
  )
}

function NobodyFound({ search, onClear }: { search: string; onClear: () => void }) {
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
          <span className="wrap-anywhere">No email and no name holds “{search}”.</span>
        </EmptyState>
      )}
    </Card>
  )
}

const names = ['firstName', 'lastName', 'email', 'password'] as const

export interface MakeUserDialogProps {
  open: boolean
  onOpenChange: (open: boolean) => void
}

/**
 * Makes an account for another person. This works even if the setting `SIGNUP` lets nobody sign up.
 */
function MakeUserDialog({ open, onOpenChange }: MakeUserDialogProps) {
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
