"""Compiled passes over discrete charts."""
