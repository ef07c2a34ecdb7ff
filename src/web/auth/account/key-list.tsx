import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { KeyRound, Plus } from 'lucide-react'
import { useState } from 'react'
import type { KeyView } from '../../../shared/contract/keys.ts'
import { isKeyExpired } from '../../../shared/rules/accounts/api-key.ts'
import { localDayText } from '../../../shared/rules/format/timestamp-text.ts'
import { call, ignoreErrors } from '../../api/call.ts'
import { serverNow } from '../../api/server-clock.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { confirm } from '../../ui/confirm.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { QueryContent } from '../../ui/load-error.tsx'
import { RowsLoading } from '../../ui/skeleton.tsx'
import { toast } from '../../ui/toast.tsx'
import { showCallError } from '../use-auth-form.ts'
import { keysQuery } from './account-queries.ts'
import { IconRow } from './icon-row.tsx'
import { KeyDialog } from './key-dialog.tsx'

/** The user's API keys, with buttons to create and revoke them. */
export function KeyList() {
  const [hasDialog, setDialog] = useState(false)
  const createButton = (
    <Button icon={<Plus />} size="small" onClick={() => setDialog(true)}>
      New API key
    </Button>
  )
  return (
    <>
      <QueryContent
        query={useQuery(keysQuery)}
        failed="Your API keys could not be loaded"
        loading={<RowsLoading label="Loading your API keys" rows={1} />}
      >
        {(keys) => (
          <Card>
            {keys.length === 0 ? (
              <EmptyState icon={<KeyRound />} title="No API keys" action={createButton}>
                With a key, programs upload without your password.
              </EmptyState>
            ) : (
              <>
                <ul>
                  {keys.map((key) => (
                    <KeyRow key={key.id} apiKey={key} now={serverNow()} />
                  ))}
                </ul>
                <div className="flex justify-end border-line border-t px-4 py-3.5 sm:px-5">
                  {createButton}
                </div>
              </>
            )}
          </Card>
        )}
      </QueryContent>
      {hasDialog ? <KeyDialog onClosed={() => setDialog(false)} /> : null}
    </>
  )
}

function KeyRow({ apiKey, now }: { apiKey: KeyView; now: Date }) {
  const { name, prefix, scopes, createdAt, expiresAt, lastUsedAt } = apiKey
  const day = (timestamp: string) => localDayText(new Date(timestamp), now)
  const isExpired = isKeyExpired({ expiresAt: expiresAt ? new Date(expiresAt) : null }, now)
  const dates = [
    `created on ${day(createdAt)}`,
    lastUsedAt ? `last used on ${day(lastUsedAt)}` : 'never used',
    ...(expiresAt ? [`${isExpired ? 'expired' : 'expires'} on ${day(expiresAt)}`] : []),
  ]
  return (
    <IconRow
      icon={<KeyRound />}
      title={
        <>
          <span className="wrap-anywhere">{name}</span>
          {isExpired ? <Badge>Expired</Badge> : null}
        </>
      }
      action={<RevokeButton apiKey={apiKey} />}
    >
      <span className="wrap-anywhere">
        {prefix}… · {scopes.join(', ')}
      </span>
      <br />
      {dates.join(' · ')}
    </IconRow>
  )
}

function RevokeButton({ apiKey: { id, name } }: { apiKey: KeyView }) {
  const client = useQueryClient()
  const { mutate, isPending } = useMutation({
    mutationFn: () =>
      call('DELETE /api/keys/{id}', { params: { id } }).catch(ignoreErrors('KEY_NOT_FOUND')),
    onSuccess: () => toast({ title: 'API key revoked', description: name }),
    onError: (error) =>
      showCallError(error, 'API key not revoked', 'Failed to revoke the key. Please try again.'),
    onSettled: () => client.invalidateQueries({ queryKey: keysQuery.queryKey }),
  })
  const confirmAndRevoke = async () => {
    const isConfirmed = await confirm({
      title: `Revoke ${name}?`,
      description: 'Programs that use this key are refused from their next call on.',
      confirmLabel: 'Revoke key',
      focusAfter: () => document.getElementById('keys'),
    })
    if (isConfirmed) mutate()
  }
  return (
    <Button
      size="small"
      label={`Revoke ${name}`}
      pending={isPending}
      pendingLabel="Revoking..."
      onClick={() => void confirmAndRevoke()}
    >
      Revoke
    </Button>
  )
}
