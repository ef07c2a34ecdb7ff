import type { QueryClient } from '@tanstack/react-query'
import type { File as StoredFile } from '../../shared/contract/files.ts'
import { ApiError, call } from '../api/call.ts'
import { filesQuery } from '../files/use-files.ts'
import { toast } from '../ui/toast.tsx'
import { createChecksums, startChecksumWorker } from './checksums.ts'
import { browserConnection, waitOrReconnect } from './connection.ts'
import { sendByXhr } from './send.ts'
import type { Outcome } from './upload-failure.ts'
import type { UploadQueueEffects } from './upload-queue.ts'

/** Asks before the tab is closed or left while bytes would be lost; returns what stops asking. */
const guardPage = (): (() => void) => {
  const ask = (event: BeforeUnloadEvent) => event.preventDefault()
  window.addEventListener('beforeunload', ask)
  return () => window.removeEventListener('beforeunload', ask)
}

/**
 * The effects of uploads in a browser. Its calls go through the mutations of `client`, so that a
 * session that is over is noticed the same way everywhere.
 */
export const createBrowserEffects = (client: QueryClient): UploadQueueEffects => {
  const attempt = async <T>(work: () => Promise<T>): Promise<Outcome<T>> => {
    const mutation = client.getMutationCache().build<T, Error, void, unknown>(client, {
      mutationFn: work,
    })
    try {
      return { ok: true, value: await mutation.execute() }
    } catch (error) {
      const answer = error instanceof ApiError ? error : null
      return {
        ok: false,
        refusal: {
          status: answer?.status ?? null,
          code: answer?.code ?? null,
          message: answer?.publicMessage ?? null,
        },
      }
    }
  }

  const onStored = (file: StoredFile) => {
    client.setQueryData(filesQuery.queryKey, (files) =>
      files ? [file, ...files.filter(({ id }) => id !== file.id)] : files,
    )
    // Spec §7: after a successful upload, the list is refreshed.
    void client.invalidateQueries({ queryKey: filesQuery.queryKey })
    toast({
      title: 'Upload Complete',
      description: `${file.originalName} uploaded successfully`,
    })
  }

  return {
    getUploadUrl: (body) => attempt(() => call('getUploadUrl', { body })),
    confirmUpload: (body) => attempt(() => call('confirmUpload', { body })),
    abortUpload: (cloudKey) => void attempt(() => call('abortUpload', { body: { cloudKey } })),
    send: sendByXhr,
    connection: browserConnection,
    wait: waitOrReconnect,
    random: Math.random,
    checksums: createChecksums(startChecksumWorker),
    now: () => Date.now(),
    onStored,
    onNotice: ({ title, description }) => toast({ title, description, tone: 'destructive' }),
    guardPage,
  }
}
