/** How many rows of a list in pages one request reads. */
export const pageSize = 20

/** The options of a query that reads a list in pages, each by the cursor of the page before. */
export const pagesFrom = {
  initialPageParam: undefined as string | undefined,
  getNextPageParam: ({ next }: { next: string | null }) => next ?? undefined,
}
