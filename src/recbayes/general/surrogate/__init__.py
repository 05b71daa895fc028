"""Gaussian stand-ins of general models: from them trees and values are drawn, which exact weights correct."""
