/** What the audit log can say that was done. */
export const auditActions = ['set-tier'] as const
