/** The administrator who acts, and from which address. The audit log records both. */
export interface Actor {
  id: string
  ipAddress: string
}
