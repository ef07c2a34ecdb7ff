import {
  infiniteQueryOptions,
  useInfiniteQuery,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query'
import type { FileRequest } from '../../shared/contract/requests.ts'
import { type CallInput, call, callForPage } from '../api/call.ts'
import { failureText } from '../api/failure-text.ts'
import { showFailure } from '../api/show-failure.ts'
import { cursorPagingOptions, pageSize } from '../ui/paged-list.tsx'
import { toast } from '../ui/toast.tsx'

export type RequestChanges = CallInput<'PATCH /api/requests/{id}'>['body']
export type NewRequest = CallInput<'POST /api/requests'>['body']

/** How often the list is reloaded, in search of new deliveries. */
const deliveryIntervalMs = 15_000

const requestsQuery = infiniteQueryOptions({
  queryKey: ['/api/requests'],
  queryFn: ({ pageParam: cursor, signal }) =>
    callForPage('GET /api/requests', { query: { limit: pageSize, cursor }, signal }),
  ...cursorPagingOptions,
  refetchInterval: deliveryIntervalMs,
  refetchOnMount: 'always',
})

/** Loads the user's requests, newest first. */
export function useRequests() {
  return useInfiniteQuery(requestsQuery)
}

/** Creates a request, or changes one. Rejects if the call fails. */
export function useSaveRequest() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ id, values }: { id: string | null; values: NewRequest | RequestChanges }) =>
      id === null
        ? call('POST /api/requests', { body: values as NewRequest })
        : call('PATCH /api/requests/{id}', { params: { id }, body: values }),
    onSettled: () => client.invalidateQueries({ queryKey: requestsQuery.queryKey }),
  }).mutateAsync
}

/** Closes a request and shows the result. */
export function useCloseRequest() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ id }: FileRequest) => call('DELETE /api/requests/{id}', { params: { id } }),
    onSuccess: (_, { title }) => toast({ title: 'Request closed', description: title }),
    onError: (error) =>
      showFailure(error, 'Request not closed', failureText(error, 'Please try again.')),
    onSettled: () => client.invalidateQueries({ queryKey: requestsQuery.queryKey }),
  }).mutate
}
