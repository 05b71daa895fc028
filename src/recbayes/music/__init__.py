"""Music: reading scores, pitch classes in slices of time, and analyses that can be looked at and listened to."""
