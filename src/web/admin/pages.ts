/** How many rows of a long list one request reads. */
export const pageSize = 20

/**
 * The options of a query that reads a list page by page. The answer with each page contains the
 * cursor of the next page.
 */
export const pagesFrom = {
  initialPageParam: undefined as string | undefined,
  getNextPageParam: ({ next }: { next: string | null }) => next ?? undefined,
}
