/** The administrator who acts, and the IP address of the request. The audit log records both. */
export interface Actor {
  id: string
  ipAddress: string
}
